package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.BaseSubscriber;

/** A buffered body keeps its bytes until they are taken or released. */
class BufferedRequestBodyTest {
    private final List<ByteBuf> pieces = List.of(
            Unpooled.buffer().writeZero(3),
            Unpooled.buffer().writeZero(4),
            Unpooled.buffer().writeZero(5));
    private final BufferedRequestBody body = new BufferedRequestBody(pieces);

    @Test
    void takenBuffersBelongToTheSubscriber() {
        List<ByteBuf> taken = new ArrayList<>();
        body.pieces().subscribe(taken::add);
        body.release();

        assertThat(taken).isEqualTo(pieces);
        assertThat(pieces).allMatch(piece -> piece.refCnt() == 1);
        assertThat(body.size()).isEqualTo(12);
    }

    @Test
    void cancelReleasesBuffersNotYetTaken() {
        BaseSubscriber<ByteBuf> reader = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
                subscription.request(1);
            }
        };
        body.pieces().subscribe(reader);
        reader.cancel();

        assertThat(pieces).extracting(ByteBuf::refCnt).containsExactly(1, 0, 0);
    }

    @Test
    void releaseFreesUntakenBuffersOnce() {
        body.release();
        body.release();

        assertThat(pieces).allMatch(piece -> piece.refCnt() == 0);
        assertThat(body.pieces().count().block()).isZero();
    }
}
