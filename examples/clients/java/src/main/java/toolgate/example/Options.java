package toolgate.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What the command line asks for.
 *
 * @param texts of the message: what to say, then each file
 * @param yes allows every call that asks
 */
record Options(List<String> texts, String agent, String address, String token, boolean yes) {
  private static final String USAGE =
      "Usage: Client MESSAGE [--file FILE]... [--agent NAME] [--address URL] [--token-file FILE]"
          + " [--yes]";

  /** Reads the command line and the files it names; throws a line for people. */
  static Options parse(String[] args) {
    Deque<String> words = new ArrayDeque<>(List.of(args));
    List<String> messages = new ArrayList<>();
    List<String> files = new ArrayList<>();
    String agent = "analyst";
    String address = "http://127.0.0.1:7420";
    String tokenFile = ".toolgate/tokens/owner.token";
    boolean yes = false;
    while (!words.isEmpty()) {
      String word = words.pop();
      switch (word) {
        case "--yes" -> yes = true;
        case "--file" -> files.add(valueOf(word, words));
        case "--agent" -> agent = valueOf(word, words);
        case "--address" -> address = valueOf(word, words);
        case "--token-file" -> tokenFile = valueOf(word, words);
        default -> messages.add(word);
      }
    }
    if (messages.size() != 1 || messages.get(0).startsWith("--")) {
      throw new IllegalArgumentException(USAGE);
    }
    List<String> texts = new ArrayList<>(messages);
    for (String file : files) {
      texts.add("File %s:\n%s".formatted(Path.of(file).getFileName(), textOf(file)));
    }
    return new Options(texts, agent, address, textOf(tokenFile).strip(), yes);
  }

  private static String valueOf(String option, Deque<String> words) {
    if (words.isEmpty()) {
      throw new IllegalArgumentException(option + " needs a value. " + USAGE);
    }
    return words.pop();
  }

  private static String textOf(String file) {
    try {
      return Files.readString(Path.of(file));
    } catch (IOException error) {
      throw new IllegalArgumentException("Cannot read %s as text: %s".formatted(file, error), error);
    }
  }
}
