package io.millrace.backend.s3;

import io.millrace.backend.spi.HeaderList;
import java.util.List;

/** The server's answer is an error. Carries it to where it is understood. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Answer answer;
    private final transient ErrorText text;
    private final transient HeaderList fields;

    private RefusedException(Answer answer, ErrorText text, HeaderList fields) {
        super("%d %s".formatted(answer.status(), text.code()), null, false, false);
        this.answer = answer;
        this.text = text;
        this.fields = fields;
    }

    static RefusedException of(Reply reply) {
        Answer answer = Answer.of(reply.status(), reply.fields().fields());
        return new RefusedException(answer, ErrorText.of(reply.bytes()), reply.fields());
    }

    /** An error behind the head of a success. Its status is the one that its code comes with otherwise. */
    static RefusedException behindSuccess(Reply reply, ErrorText text) {
        int status = ErrorKinds.statusOf(text.code());
        return new RefusedException(Answer.of(status, reply.fields().fields()), text, reply.fields());
    }

    /** An error of one among several things that were asked for. */
    static RefusedException among(ErrorText text) {
        return new RefusedException(Answer.of(ErrorKinds.statusOf(text.code()), List.of()), text, HeaderList.EMPTY);
    }

    Answer answer() {
        return answer;
    }

    ErrorText text() {
        return text;
    }

    /** The fields of the answer's head, as they came. */
    HeaderList fields() {
        return fields;
    }
}
