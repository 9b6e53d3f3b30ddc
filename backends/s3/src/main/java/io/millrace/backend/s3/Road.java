package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BackendException.Words;
import io.millrace.backend.spi.HeaderList.Field;
import java.util.Optional;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

/** The short way to the server: sign, send, look at the status, try again where that is allowed. */
final class Road {
    /** What an error may say of itself: Amazon's have some hundred bytes, proxies' some thousand. */
    private static final int MAX_ERROR_BYTES = 1 << 20;

    /** How a request may be dealt with that brings no stream. */
    enum Manner {
        /** It can be sent again, whatever became of it. */
        REPEATABLE,
        /** It is sent again only if the server cannot have acted on it. */
        ONCE,
        /** The same, and the server may be at work on it for minutes. */
        ONCE_AND_LONG,
        /** It is never sent again, and the server may be at work on it for minutes: nobody knows what it means. */
        NEVER_AGAIN
    }

    private final Credentials credentials;
    private final RequestSigner signer;
    private final Sender sender;
    private final Deadlines deadlines;
    private final Retries retries = new Retries();

    Road(Origin origin, Credentials credentials, Sender sender, Deadlines deadlines) {
        this.credentials = credentials;
        this.signer = new RequestSigner(origin);
        this.sender = sender;
        this.deadlines = deadlines;
    }

    /** The successful answer, or a {@link RefusedException}, or what kept it from coming. Its body is the subscriber's. */
    Mono<WireAnswer> open(WireRequest request) {
        return retries.of(successful(request, Outgoing.NOTHING, deadlines), failure -> true);
    }

    /**
     * The whole of a successful answer, or a {@link RefusedException}, or what kept it from coming. An error that comes behind
     * a 200, as Amazon's do once a long work has begun, is one.
     *
     * @param maxBytes that the answer may have
     */
    Mono<Reply> exchange(WireRequest request, Manner manner, int maxBytes) {
        WireRequest.Body.Bytes bytes = (WireRequest.Body.Bytes) request.body();
        boolean isLong = manner == Manner.ONCE_AND_LONG || manner == Manner.NEVER_AGAIN;
        Deadlines times = isLong ? deadlines.forLongWork() : deadlines;
        Mono<Reply> once = successful(request, Outgoing.of(bytes.bytes()), times)
                .flatMap(answer -> Reply.of(answer, maxBytes, "one"))
                .flatMap(Road::unlessError);
        return retries.of(once, failure -> mayRepeat(manner, failure));
    }

    private static boolean mayRepeat(Manner manner, Throwable failure) {
        return switch (manner) {
            case REPEATABLE -> true;
            case ONCE, ONCE_AND_LONG -> Retries.isSurelyUndone(failure);
            case NEVER_AGAIN -> false;
        };
    }

    /** The same of a request that brings this stream. It is sent again only if nobody has begun to read the stream. */
    Mono<Reply> upload(WireRequest request, BodySender body) {
        return retries.of(uploadOnce(request, body), failure -> !body.isBegun());
    }

    /** The same, never sent again. */
    Mono<Reply> uploadOnce(WireRequest request, BodySender body) {
        return successful(request, body, deadlines)
                .flatMap(answer -> body.isWhole() ? Mono.just(answer) : premature(answer))
                .flatMap(answer -> Reply.of(answer, AnswerLimit.MAX_BYTES, "one"));
    }

    private Mono<WireAnswer> successful(WireRequest request, Outgoing body, Deadlines times) {
        Optional<String> unpacking = request.headers().fields().stream()
                .map(Field::name)
                .filter(Road::isToUnpack)
                .findFirst();
        if (unpacking.isPresent()) {
            return Mono.error(unpacked(unpacking.get()));
        }
        return credentials
                .identity()
                .flatMap(identity -> send(request, identity, body, times))
                .flatMap(answer -> answer.isSuccessful() ? Mono.just(answer) : refused(answer))
                .onErrorMap(RefusedException.class, refused -> explained(request, refused));
    }

    /** MinIO takes the body of a write with such metadata for an archive, and writes what is in it to keys of the archive's choice. */
    private static boolean isToUnpack(String field) {
        return field.startsWith("x-amz-meta-snowball-") || field.startsWith("x-amz-meta-minio-snowball-");
    }

    private static BackendException unpacked(String field) {
        String message = "Metadata that lets a server unpack what is written to other keys is not taken: " + field;
        return new BackendException(Kind.INVALID_REQUEST, message).inWords(new Words(400, "InvalidArgument", message));
    }

    /** A signature that the server finds wrong over bytes which are no text, or no plain blanks, is the client's fault, and not our credentials'. */
    private static Exception explained(WireRequest request, RefusedException refused) {
        boolean ofTheFields = refused.text().code().equals("SignatureDoesNotMatch")
                && SignedHeaders.of(request.headers()).isAmbiguous();
        return ofTheFields
                ? new BackendException(
                                Kind.INVALID_REQUEST,
                                "the server takes no header values that are no UTF-8, or have blanks beyond ASCII")
                        .inWords(new Words(
                                400,
                                "InvalidArgument",
                                "Header value cannot be represented: it is no UTF-8, or has blanks beyond ASCII"))
                : refused;
    }

    private Mono<WireAnswer> send(
            WireRequest request, AwsCredentialsIdentity identity, Outgoing body, Deadlines times) {
        return sender.send(signer.sign(request, identity), body, times);
    }

    private static Mono<WireAnswer> refused(WireAnswer answer) {
        return Reply.of(answer, MAX_ERROR_BYTES, "an error").flatMap(reply -> Mono.error(RefusedException.of(reply)));
    }

    private static Mono<Reply> unlessError(Reply reply) {
        ErrorText text = ErrorText.of(reply.bytes());
        return text.code().isEmpty() ? Mono.just(reply) : Mono.error(RefusedException.behindSuccess(reply, text));
    }

    /** Whatever such a server has written, it is not what the client sends. */
    private static Mono<WireAnswer> premature(WireAnswer answer) {
        answer.body().discard();
        return Mono.error(new BackendException(
                Kind.BROKEN_ANSWER, "status %d before the body was sent".formatted(answer.status())));
    }
}
