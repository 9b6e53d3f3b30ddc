package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.jobs.plan.UrlListEntry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.test.publisher.TestPublisher;

/** Tests the ownership of a buffer that the event loop hands on while another thread cancels the download. */
@Timeout(60)
class ResumableDownloadTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    private static final DownloadMetadata OBJECT =
            new DownloadMetadata(UrlListEntry.parse("http://h/a"), HeaderList.EMPTY, OptionalLong.of(3), true);

    private final HttpFetcher fetcher = new HttpFetcher(new FetchSettings(List.of(), List.of(), SOON, SOON, SOON));

    @AfterEach
    void close() {
        fetcher.close().block(SOON);
    }

    @Test
    void bufferDuringCancelIsReleased() {
        assertThat(releasesDuringCancel(UnaryOperator.identity())).isEqualTo(1);
    }

    /** An object of unknown length is assembled into blocks, whose operators have what they discard released. */
    @Test
    void subscribersHookDoesNotReleaseItAgain() {
        assertThat(releasesDuringCancel(pieces -> pieces.doOnDiscard(ByteBuf.class, ByteBuf::release)))
                .isEqualTo(1);
    }

    private int releasesDuringCancel(UnaryOperator<Flux<ByteBuf>> reading) {
        // Cancelled too late: it is handing on a buffer already.
        TestPublisher<ByteBuf> arriving = TestPublisher.createNoncompliant(TestPublisher.Violation.DEFER_CANCELLATION);
        ByteBuf late = Unpooled.copiedBuffer(new byte[] {1, 2, 3}).retain(2);

        reading.apply(ResumableDownload.of(fetcher, OBJECT, arriving.flux(), 1))
                .subscribe()
                .dispose();
        arriving.next(late);

        arriving.assertWasCancelled();
        int left = late.refCnt();
        late.release(left);
        return 3 - left;
    }
}
