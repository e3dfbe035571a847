package toolgate.example;

/** Tells why there is no answer, in words for a person. */
final class FailedReply extends RuntimeException {
  private static final long serialVersionUID = 1;

  FailedReply(String message) {
    super(message);
  }
}
