package io.millrace.gateway.jobs;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.kit.async.DiscardedBuffers;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Streams a byte range of a URL. After a broken connection it continues at the next byte if the server confirms the
 * same content; otherwise it fails. The subscriber owns each buffer; subscribe once.
 */
final class ResumableDownload {
    private static final int RANGE_NOT_SATISFIABLE = 416;
    private static final int PARTIAL = 206;

    /** Bytes that a connection must bring to reset the count of tries. */
    private static final long PROGRESS = 64 << 10;

    private final HttpFetcher fetcher;
    private final DownloadMetadata object;
    private final OptionalLong end;
    private final int tries;
    private @Nullable Flux<ByteBuf> arriving;
    private long at;
    private long progressAt;
    private int failedTries;
    private boolean isHopeless;
    private String broken = "";

    private ResumableDownload(
            HttpFetcher fetcher,
            DownloadMetadata object,
            long first,
            OptionalLong end,
            @Nullable Flux<ByteBuf> arriving,
            int tries) {
        this.fetcher = fetcher;
        this.object = object;
        this.at = first;
        this.progressAt = first;
        this.end = end;
        this.arriving = arriving;
        this.tries = tries;
    }

    /** Streams all of a URL, beginning with a response that has arrived. */
    static Flux<ByteBuf> of(HttpFetcher fetcher, DownloadMetadata object, Flux<ByteBuf> arriving, int tries) {
        return new ResumableDownload(fetcher, object, 0, object.size(), arriving, tries).pieces();
    }

    /** Streams from {@code first} to before {@code end}. */
    static Flux<ByteBuf> of(HttpFetcher fetcher, DownloadMetadata object, long first, long end, int tries) {
        return new ResumableDownload(fetcher, object, first, OptionalLong.of(end), null, tries).pieces();
    }

    private Flux<ByteBuf> pieces() {
        return Flux.defer(this::next)
                .doOnNext(piece -> at += piece.readableBytes())
                .retryWhen(Retry.from(failures -> failures.concatMap(signal -> again(signal.failure()))))
                // One that comes while another thread cancels, as a stop of the job does.
                .contextWrite(DiscardedBuffers.RELEASED);
    }

    private Flux<ByteBuf> next() {
        Flux<ByteBuf> first = arriving;
        arriving = null;
        if (first != null) {
            return first;
        }
        if (end.isPresent() && at == end.getAsLong()) {
            return Flux.empty();
        }
        String range = "bytes=%d-%s".formatted(at, end.isPresent() ? end.getAsLong() - 1 : "");
        HeaderList headers = HeaderList.EMPTY
                .with("range", range)
                .with("if-range", object.validator().orElseThrow());
        return fetcher.stream(object.line().url(), headers, this::checked);
    }

    private Publisher<Long> again(Throwable failure) {
        if (at - progressAt >= PROGRESS) {
            failedTries = 0;
        }
        progressAt = at;
        broken = isHopeless ? broken : FailureClassifier.text(failure);
        boolean mayGoOn = object.validator().isPresent()
                && !isHopeless
                && FailureClassifier.isPassing(failure)
                && ++failedTries <= tries;
        return mayGoOn ? Mono.delay(FailureClassifier.pause(failedTries - 1L, failure)) : Mono.error(failure);
    }

    private Flux<ByteBuf> checked(DownloadResponse response) {
        Optional<ContentRange> range = response.range();
        if (response.status() == RANGE_NOT_SATISFIABLE && end.isEmpty() && isEnd(response)) {
            return Flux.empty();
        }
        if (response.status() != PARTIAL && response.status() >= 300) {
            throw response.refusal();
        }
        // Without a known end, a response without a total could be any piece of the rest.
        OptionalLong goal =
                end.isPresent() || range.isEmpty() ? end : range.get().total();
        boolean fits = response.status() == PARTIAL
                && range.isPresent()
                && range.get().first() == at
                && goal.isPresent()
                && range.get().last() < goal.getAsLong()
                && isOfTheSame(response, range.get());
        if (!fits) {
            isHopeless = true;
            throw FetchException.passing("%s at byte %d its server has other content now, or sends no ranges"
                    .formatted(broken.isEmpty() ? "" : broken + ", and", at)
                    .strip());
        }
        return whole(response.body(), range.get().last() + 1, goal.getAsLong());
    }

    /** Treats a body that ends too early like a broken connection. */
    private Flux<ByteBuf> whole(Flux<ByteBuf> body, long rangeEnd, long goal) {
        return body.<ByteBuf>handle((piece, sink) -> {
                    if (piece.readableBytes() <= rangeEnd - at) {
                        sink.next(piece);
                    } else {
                        piece.release();
                        sink.error(FetchException.passing("its server sent more than its Content-Range"));
                    }
                })
                .concatWith(Mono.defer(() -> at < goal
                        ? Mono.error(FetchException.passing("its server sent less than requested"))
                        : Mono.empty()));
    }

    private boolean isOfTheSame(DownloadResponse response, ContentRange range) {
        boolean sameSize = object.size().isEmpty()
                || range.total().orElse(object.size().getAsLong())
                        == object.size().getAsLong();
        return sameSize && object.isOneWith(DownloadMetadata.of(object.line(), response));
    }

    /** Returns true if all bytes had arrived and only the end of the body was missing. */
    private boolean isEnd(DownloadResponse response) {
        return response.headers()
                .first("content-range")
                .filter(("bytes */" + at)::equalsIgnoreCase)
                .isPresent();
    }
}
