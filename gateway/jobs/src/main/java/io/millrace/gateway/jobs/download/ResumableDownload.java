package io.millrace.gateway.jobs.download;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.jobs.fetch.ContentRange;
import io.millrace.gateway.jobs.fetch.DownloadResponse;
import io.millrace.gateway.jobs.fetch.FetchException;
import io.millrace.gateway.jobs.fetch.HttpFetcher;
import io.millrace.gateway.jobs.upload.FailureClassifier;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Bytes of what a URL names, from one to another. When their connection breaks off they go on at the byte where it broke, if the server
 * says that it is of the same content; otherwise they fail. The subscriber owns each piece; subscribed to once.
 */
final class ResumableDownload {
    private static final int RANGE_NOT_SATISFIABLE = 416;
    private static final int PARTIAL = 206;

    /** A connection that brought less was of no use. */
    private static final long PROGRESS = 64 << 10;

    private final HttpFetcher fetcher;
    private final DownloadMetadata object;
    private final OptionalLong end;
    private final int tries;
    private @Nullable Flux<ByteBuf> begun;
    private long at;
    private long progressAt;
    private int vain;
    private boolean isHopeless;
    private String broken = "";

    private ResumableDownload(
            HttpFetcher fetcher,
            DownloadMetadata object,
            long first,
            OptionalLong end,
            @Nullable Flux<ByteBuf> begun,
            int tries) {
        this.fetcher = fetcher;
        this.object = object;
        this.at = first;
        this.progressAt = first;
        this.end = end;
        this.begun = begun;
        this.tries = tries;
    }

    /** All of it, whose first bytes are on their way already. */
    static Flux<ByteBuf> of(HttpFetcher fetcher, DownloadMetadata object, Flux<ByteBuf> begun, int tries) {
        return new ResumableDownload(fetcher, object, 0, object.size(), begun, tries).pieces();
    }

    /** A part of it, from {@code first} to before {@code end}. */
    static Flux<ByteBuf> of(HttpFetcher fetcher, DownloadMetadata object, long first, long end, int tries) {
        return new ResumableDownload(fetcher, object, first, OptionalLong.of(end), null, tries).pieces();
    }

    private Flux<ByteBuf> pieces() {
        return Flux.defer(this::next)
                .doOnNext(piece -> at += piece.readableBytes())
                .retryWhen(Retry.from(failures -> failures.concatMap(signal -> again(signal.failure()))));
    }

    private Flux<ByteBuf> next() {
        Flux<ByteBuf> first = begun;
        begun = null;
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
            vain = 0;
        }
        progressAt = at;
        broken = isHopeless ? broken : FailureClassifier.text(failure);
        boolean mayGoOn = object.validator().isPresent()
                && !isHopeless
                && FailureClassifier.isPassing(failure)
                && ++vain <= tries;
        return mayGoOn ? Mono.delay(FailureClassifier.pause(vain - 1L, failure)) : Mono.error(failure);
    }

    private Flux<ByteBuf> checked(DownloadResponse answer) {
        Optional<ContentRange> range = answer.range();
        if (answer.status() == RANGE_NOT_SATISFIABLE && end.isEmpty() && isEnd(answer)) {
            return Flux.empty();
        }
        if (answer.status() != PARTIAL && answer.status() >= 300) {
            throw answer.refusal();
        }
        // Where nobody knows the end, an answer that does not tell it could be any piece of the rest.
        OptionalLong goal =
                end.isPresent() || range.isEmpty() ? end : range.get().total();
        boolean fits = answer.status() == PARTIAL
                && range.isPresent()
                && range.get().first() == at
                && goal.isPresent()
                && range.get().last() < goal.getAsLong()
                && isOfTheSame(answer, range.get());
        if (!fits) {
            isHopeless = true;
            throw FetchException.passing("%s at byte %d its server has something else now, or sends no ranges"
                    .formatted(broken.isEmpty() ? "" : broken + ", and", at)
                    .strip());
        }
        return whole(answer.body(), range.get().last() + 1, goal.getAsLong());
    }

    /** What ends too early is gone on with, as if its connection had been cut. */
    private Flux<ByteBuf> whole(Flux<ByteBuf> body, long rangeEnd, long goal) {
        return body.<ByteBuf>handle((piece, sink) -> {
                    if (piece.readableBytes() <= rangeEnd - at) {
                        sink.next(piece);
                    } else {
                        piece.release();
                        sink.error(FetchException.passing("its server sent more than the range that it told"));
                    }
                })
                .concatWith(Mono.defer(() -> at < goal
                        ? Mono.error(FetchException.passing("its server sent less than it was asked for"))
                        : Mono.empty()));
    }

    private boolean isOfTheSame(DownloadResponse answer, ContentRange range) {
        boolean sameSize = object.size().isEmpty()
                || range.total().orElse(object.size().getAsLong())
                        == object.size().getAsLong();
        return sameSize && object.isOneWith(DownloadMetadata.of(object.line(), answer));
    }

    /** Only the end of the answer was missing, and none of its bytes. */
    private boolean isEnd(DownloadResponse answer) {
        return answer.headers()
                .first("content-range")
                .filter(("bytes */" + at)::equalsIgnoreCase)
                .isPresent();
    }
}
