package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.util.Optional;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/** The short way of GET and HEAD: sign, send, look at the status, try again. */
final class ReadRoad {
    /** What an error may say of itself: Amazon's have some hundred bytes, proxies' some thousand. */
    private static final int MAX_ERROR_BYTES = 1 << 20;

    private final Credentials credentials;
    private final ReadSigner signer;
    private final Sender sender;
    private final Retries retries = new Retries();

    ReadRoad(Origin origin, Credentials credentials, Sender sender) {
        this.credentials = credentials;
        this.signer = new ReadSigner(origin);
        this.sender = sender;
    }

    /** The successful answer, or a {@link RefusedException}, or what kept it from coming. Its body is the subscriber's. */
    Mono<WireAnswer> send(SdkHttpMethod method, ReadCall call) {
        Mono<WireAnswer> once = credentials
                .identity()
                .flatMap(identity -> sender.send(signer.sign(method, call, identity), Optional.empty()))
                .flatMap(ReadRoad::successful);
        return retries.of(once);
    }

    private static Mono<WireAnswer> successful(WireAnswer answer) {
        return answer.isSuccessful() ? Mono.just(answer) : refused(answer);
    }

    private static Mono<WireAnswer> refused(WireAnswer answer) {
        return answer.body()
                .reduceWith(ByteArrayOutputStream::new, ReadRoad::add)
                .flatMap(text -> Mono.error(RefusedException.of(answer, text.toByteArray())));
    }

    private static ByteArrayOutputStream add(ByteArrayOutputStream text, ByteBuf piece) {
        text.writeBytes(ByteBufUtil.getBytes(piece));
        piece.release();
        if (text.size() > MAX_ERROR_BYTES) {
            throw new BackendException(
                    Kind.BROKEN_ANSWER, "the answer is an error of more than " + MAX_ERROR_BYTES + " bytes");
        }
        return text;
    }
}
