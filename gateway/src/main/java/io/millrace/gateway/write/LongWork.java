package io.millrace.gateway.write;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.HeaderList;
import io.millrace.gateway.error.BackendErrors;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.http.ErrorAnswers;
import io.millrace.gateway.http.S3Answer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Answers work that may take minutes, as S3 does: clients give up when they hear nothing for a minute. If there is no answer after
 * {@link #PATIENCE}, a 200 is sent with the beginning of a document, then a blank now and then, then the rest: the result, or an
 * error. Clients of S3 look into such answers.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html">CompleteMultipartUpload: error
 *     behind a 200</a>
 */
public final class LongWork {
    private static final Logger log = LoggerFactory.getLogger(LongWork.class);

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String DECLARATION = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";

    private LongWork() {}

    /** The answer to {@code work}, which goes on if its client leaves. */
    public static Mono<S3Answer> answer(Admission admission, Mono<S3Answer> work) {
        return answer(admission, work, PATIENCE);
    }

    static Mono<S3Answer> answer(Admission admission, Mono<S3Answer> work, Duration patience) {
        return Mono.defer(() -> {
            Mono<S3Answer> result = work.cache();
            Mono<S3Answer> late = Mono.delay(patience)
                    .map(tick -> new S3Answer(
                            200,
                            HeaderList.EMPTY.with("content-type", "application/xml"),
                            new S3Answer.Unending(pieces(admission, result, patience))));
            return Mono.firstWithSignal(result, late);
        });
    }

    private static Flux<ByteBuf> pieces(Admission admission, Mono<S3Answer> result, Duration pause) {
        Mono<ByteBuf> document = result.onErrorResume(failure -> Mono.just(error(admission, failure)))
                .map(LongWork::withoutDeclaration)
                .cache();
        Flux<ByteBuf> blanks = Flux.interval(pause).map(tick -> text(" ")).takeUntilOther(document);
        return Flux.concat(Mono.fromSupplier(() -> text(DECLARATION + "\n")), blanks, document);
    }

    private static S3Answer error(Admission admission, Throwable failure) {
        String path = admission.request().path();
        String id = admission.request().requestId();
        if (failure instanceof S3Exception refused) {
            return ErrorAnswers.of(refused, path, id);
        }
        if (failure instanceof BackendException backend) {
            return ErrorAnswers.of(BackendErrors.toS3(backend), path, id);
        }
        log.error("Request {} failed unexpectedly", id, failure);
        return ErrorAnswers.of(new S3Exception(S3ErrorCode.INTERNAL_ERROR), path, id);
    }

    private static ByteBuf withoutDeclaration(S3Answer answer) {
        ByteBuffer content = ((S3Answer.Bytes) answer.body()).content().duplicate();
        String document = StandardCharsets.UTF_8.decode(content).toString();
        int end = document.indexOf("?>");
        return text(end < 0 ? document : document.substring(end + 2));
    }

    private static ByteBuf text(String text) {
        return Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8));
    }
}
