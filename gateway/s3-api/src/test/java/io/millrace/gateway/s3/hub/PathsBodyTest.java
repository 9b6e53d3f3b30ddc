package io.millrace.gateway.s3.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.data.ManualPieces;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.test.scheduler.VirtualTimeScheduler;

@ExtendWith(BufferLeakExtension.class)
class PathsBodyTest {
    private final List<Throwable> failures = new ArrayList<>();
    private VirtualTimeScheduler time = VirtualTimeScheduler.create();

    @BeforeEach
    void stopTheClock() {
        time = VirtualTimeScheduler.getOrSet();
    }

    @AfterEach
    void startTheClock() {
        VirtualTimeScheduler.reset();
    }

    /** Else a byte now and then would keep a connection in use for days. */
    @Test
    void aBodyThatDoesNotEndTimesOut() {
        ManualPieces pieces = new ManualPieces();
        PathsBody.read(RequestHeaders.NONE, new UnverifiedRequestBody(100, pieces))
                .subscribe(paths -> {}, failures::add);
        ByteBuf piece = ByteBufAllocator.DEFAULT.buffer(10).writeZero(10);

        time.advanceTimeBy(PathsBody.LONGEST.minusSeconds(1));
        pieces.emit(piece);
        assertThat(failures).isEmpty();
        time.advanceTimeBy(PathsBody.LONGEST);

        assertThat(failures)
                .singleElement()
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        late -> assertThat(late.code()).isEqualTo(S3ErrorCode.REQUEST_TIMEOUT.code()));
        assertThat(piece.refCnt()).isZero();
    }
}
