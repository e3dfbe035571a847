// Sends a message to an agent, answers what it asks permission for, and prints its answer.
//
// Nothing but google.golang.org/grpc and the stubs that prepare.sh generates from proto/. What
// happens meanwhile is shown on standard error; the answer alone goes to standard output.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// A second answer to the same call changes nothing, so gRPC may repeat it after a lost connection.
const retries = `{"methodConfig": [{
	"name": [{"service": "toolgate.gateway.v1.SessionService", "method": "Resolve"}],
	"retryPolicy": {
		"maxAttempts": 5, "initialBackoff": "0.2s", "maxBackoff": "3s", "backoffMultiplier": 2,
		"retryableStatusCodes": ["UNAVAILABLE"]
	}
}]}`

type options struct {
	message string
	files   []string
	agent   string
	address string
	token   string
	yes     bool
}

func main() {
	options, err := parseOptions(os.Args[1:])
	if err != nil {
		say("%v", err)
		os.Exit(exitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	answer, err := run(ctx, options)
	switch {
	case ctx.Err() != nil:
		os.Exit(exitInterrupted)
	case err != nil:
		say("%s", describe(err))
		os.Exit(exitFailed)
	}
	fmt.Println(visible(strings.TrimSpace(answer)))
}

func run(ctx context.Context, options options) (string, error) {
	connection, err := connect(options.address)
	if err != nil {
		return "", err
	}
	defer connection.Close()
	return runTurn(metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+options.token), connection, options)
}

func connect(address string) (*grpc.ClientConn, error) {
	target, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	transport := insecure.NewCredentials()
	if target.Scheme == "https" {
		transport = credentials.NewTLS(&tls.Config{})
	}
	return grpc.NewClient(target.Host,
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultServiceConfig(retries),
		// A connection that vanished without a word is noticed after this time.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second}),
		// Events carry whole messages and results, which may be larger than gRPC's default of 4 MiB.
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(16<<20)),
	)
}

func describe(err error) string {
	if answered, ok := status.FromError(err); ok {
		return fmt.Sprintf("The gateway answered %v: %s", answered.Code(), oneLine(answered.Message()))
	}
	return oneLine(err.Error())
}

func parseOptions(args []string) (options, error) {
	var parsed options
	flags := flag.NewFlagSet("client MESSAGE", flag.ExitOnError)
	flags.Func("file", "text `file` to send along; may be given more than once", func(name string) error {
		text, err := os.ReadFile(name)
		if err == nil && !utf8.Valid(text) {
			err = errors.New("it is no text in UTF-8")
		}
		parsed.files = append(parsed.files, fmt.Sprintf("File %s:\n%s", filepath.Base(name), text))
		return err
	})
	flags.StringVar(&parsed.agent, "agent", "analyst", "name of the agent")
	flags.StringVar(&parsed.address, "address", "http://127.0.0.1:7420", "of the gateway")
	tokenFile := flags.String("token-file", ".toolgate/tokens/owner.token",
		"`file` with the token; it needs the scope approve to answer permission requests")
	flags.BoolVar(&parsed.yes, "yes", false, "allow every call that asks")

	// The flag package stops at the first word that is no flag; flags may follow the message here.
	var words []string
	for flags.Parse(args); flags.NArg() > 0; flags.Parse(args) {
		words = append(words, flags.Arg(0))
		args = flags.Args()[1:]
	}
	if len(words) != 1 {
		return options{}, fmt.Errorf("give one message, in quotation marks: got %d; see --help", len(words))
	}
	parsed.message = words[0]
	token, err := os.ReadFile(*tokenFile)
	if err != nil {
		return options{}, fmt.Errorf("cannot read the token, name its file with --token-file: %w", err)
	}
	parsed.token = strings.TrimSpace(string(token))
	return parsed, nil
}
