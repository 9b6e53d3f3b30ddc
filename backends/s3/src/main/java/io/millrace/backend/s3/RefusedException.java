package io.millrace.backend.s3;

import java.util.List;

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

    static RefusedException of(Reply reply) {
        return new RefusedException(Answer.of(reply.status(), reply.fields().fields()), ErrorText.of(reply.bytes()));
    }

    /** An error behind the head of a success. Its status is the one that its code comes with otherwise. */
    static RefusedException behindSuccess(Reply reply, ErrorText text) {
        int status = ErrorKinds.statusOf(text.code());
        return new RefusedException(Answer.of(status, reply.fields().fields()), text);
    }

    /** An error of one among several things that were asked for. */
    static RefusedException among(ErrorText text) {
        return new RefusedException(Answer.of(ErrorKinds.statusOf(text.code()), List.of()), text);
    }

    Answer answer() {
        return answer;
    }

    ErrorText text() {
        return text;
    }
}
