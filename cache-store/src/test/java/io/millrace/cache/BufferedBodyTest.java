package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.BaseSubscriber;

/** A buffered body keeps its bytes until they are taken or released. */
class BufferedBodyTest {
    private final List<ByteBuf> pieces = List.of(
            Unpooled.buffer().writeZero(3),
            Unpooled.buffer().writeZero(4),
            Unpooled.buffer().writeZero(5));
    private final BufferedBody body = new BufferedBody(pieces);

    @Test
    void whatIsTakenIsTheTakers() {
        List<ByteBuf> taken = new ArrayList<>();
        body.pieces().subscribe(taken::add);
        body.release();

        assertThat(taken).isEqualTo(pieces);
        assertThat(pieces).allMatch(piece -> piece.refCnt() == 1);
        assertThat(body.size()).isEqualTo(12);
    }

    @Test
    void whatNobodyTakesGoesWithTheOneWhoLeaves() {
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
    void whatNobodyRequestedIsReleasedOnce() {
        body.release();
        body.release();

        assertThat(pieces).allMatch(piece -> piece.refCnt() == 0);
        assertThat(body.pieces().count().block()).isZero();
    }
}
