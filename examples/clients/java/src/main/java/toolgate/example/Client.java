package toolgate.example;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.MetadataUtils;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import toolgate.gateway.v1.SessionServiceGrpc;

/**
 * Sends a message to an agent, answers what it asks permission for, and prints its answer.
 *
 * <p>Nothing but io.grpc and the stubs that Maven generates from proto/. What happens meanwhile is
 * shown on standard error; the answer alone goes to standard output.
 */
public final class Client {
  private static final int EXIT_FAILED = 1;
  private static final int EXIT_USAGE = 2;
  private static final int MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  // A second answer to the same call changes nothing, so gRPC may repeat it after a lost connection.
  private static final Map<String, ?> RETRIES =
      Map.of(
          "methodConfig",
          List.of(
              Map.of(
                  "name",
                  List.of(
                      Map.of(
                          "service", "toolgate.gateway.v1.SessionService", "method", "Resolve")),
                  "retryPolicy",
                  Map.of(
                      "maxAttempts", 5.0,
                      "initialBackoff", "0.2s",
                      "maxBackoff", "3s",
                      "backoffMultiplier", 2.0,
                      "retryableStatusCodes", List.of("UNAVAILABLE")))));

  private Client() {}

  public static void main(String[] args) {
    System.exit(run(args));
  }

  private static int run(String[] args) {
    Options options;
    try {
      options = Options.parse(args);
    } catch (IllegalArgumentException error) {
      Transcript.say(error.getMessage());
      return EXIT_USAGE;
    }
    ManagedChannel channel = openChannel(URI.create(options.address()));
    try {
      Metadata headers = new Metadata();
      headers.put(AUTHORIZATION, "Bearer " + options.token());
      var sessions =
          SessionServiceGrpc.newBlockingStub(channel)
              .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
              // Events carry whole messages and results, which may be larger than gRPC's 4 MiB.
              .withMaxInboundMessageSize(MAX_MESSAGE_BYTES);
      Transcript.print(Turn.run(sessions, options));
      return 0;
    } catch (StatusRuntimeException error) {
      String text = String.valueOf(error.getStatus().getDescription());
      Transcript.say(
          "The gateway answered %s: %s"
              .formatted(error.getStatus().getCode(), Transcript.oneLine(text)));
      return EXIT_FAILED;
    } catch (FailedReply error) {
      Transcript.say(Transcript.oneLine(error.getMessage()));
      return EXIT_FAILED;
    } finally {
      channel.shutdownNow();
    }
  }

  private static ManagedChannel openChannel(URI address) {
    boolean isSecure = "https".equals(address.getScheme());
    int usualPort = isSecure ? 443 : 80;
    ChannelCredentials credentials =
        isSecure ? TlsChannelCredentials.create() : InsecureChannelCredentials.create();
    return Grpc.newChannelBuilderForAddress(
            address.getHost(), address.getPort() < 0 ? usualPort : address.getPort(), credentials)
        .defaultServiceConfig(RETRIES)
        // A connection that vanished without a word is noticed after this time.
        .keepAliveTime(20, TimeUnit.SECONDS)
        .build();
  }
}
