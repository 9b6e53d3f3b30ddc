package io.millrace.backend.s3;

/** The server's answer is an error. Carries it to where it is understood. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Answer answer;
    private final transient ErrorText text;

    private RefusedException(Answer answer, ErrorText text) {
        super("%d %s".formatted(answer.status(), text.code()), null, false, false);
        this.answer = answer;
        this.text = text;
    }

    static RefusedException of(WireAnswer head, byte[] body) {
        return new RefusedException(Answer.of(head.status(), head.fields()), ErrorText.of(body));
    }

    Answer answer() {
        return answer;
    }

    ErrorText text() {
        return text;
    }
}
