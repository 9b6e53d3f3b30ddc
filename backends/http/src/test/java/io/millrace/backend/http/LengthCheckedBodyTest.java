package io.millrace.backend.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.http.LengthCheckedBody.LengthMismatch;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.ByteRange;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

class LengthCheckedBodyTest {
    private final TestPublisher<ByteBuf> source = TestPublisher.create();
    private final List<ByteBuf> made = new ArrayList<>();

    @AfterEach
    void everyPieceIsReleased() {
        assertThat(made).allMatch(piece -> piece.refCnt() == 0);
    }

    @Test
    void emitsABodyOfItsLength() {
        StepVerifier.create(read(LengthCheckedBody.of(source.flux(), 5, failure -> failure)))
                .then(() -> source.next(piece("abc"), piece("de")).complete())
                .expectNext("abc", "de")
                .verifyComplete();
    }

    @Test
    void aBodyMayEndWithAnEmptyPiece() {
        StepVerifier.create(read(LengthCheckedBody.of(source.flux(), 2, failure -> failure)))
                .then(() -> source.next(piece("ab"), piece("")).complete())
                .expectNext("ab")
                .verifyComplete();
    }

    @Test
    void aShortBodyFails() {
        StepVerifier.create(read(LengthCheckedBody.of(source.flux(), 5, LengthCheckedBodyTest::mapped)))
                .then(() -> source.next(piece("abc")).complete())
                .expectNext("abc")
                .verifyErrorMessage("mapped: the body ended 2 bytes short of 5");
    }

    @Test
    void aLongBodyFailsAndIsCancelled() {
        StepVerifier.create(read(LengthCheckedBody.of(source.flux(), 4, LengthCheckedBodyTest::mapped)))
                .then(() -> source.next(piece("abc"), piece("de")))
                .expectNext("abc")
                .verifyErrorMessage("mapped: the body is longer than the announced 4 bytes");
        source.assertCancelled();
    }

    @Test
    void aFailureOfTheBodyIsMapped() {
        StepVerifier.create(read(LengthCheckedBody.of(source.flux(), 4, LengthCheckedBodyTest::mapped)))
                .then(() -> source.error(new IllegalStateException("broken")))
                .verifyErrorMessage("mapped: broken");
    }

    @Test
    void demandIsPassedOn() {
        Flux<String> body = read(LengthCheckedBody.of(source.flux(), 2, failure -> failure));
        StepVerifier.create(body, 1)
                .then(() -> source.assertMaxRequested(1).next(piece("a")))
                .expectNext("a")
                .thenRequest(1)
                .then(() -> source.next(piece("b")).complete())
                .expectNext("b")
                .verifyComplete();
    }

    @Test
    void aRangeIsCutOutOfAWholeBody() {
        Flux<ByteBuf> range = LengthCheckedBody.range(source.flux(), new ByteRange(3, 6), failure -> failure);
        StepVerifier.create(read(range))
                .then(() -> source.next(piece("ab"), piece("cde"), piece("fgh")))
                .expectNext("de", "fg")
                .verifyComplete();
        source.assertCancelled();
    }

    @Test
    void aBodyThatEndsInsideTheRangeFails() {
        Flux<ByteBuf> range =
                LengthCheckedBody.range(source.flux(), new ByteRange(3, 6), LengthCheckedBodyTest::mapped);
        StepVerifier.create(read(range))
                .then(() -> source.next(piece("abcde")).complete())
                .expectNext("de")
                .verifyErrorMessage("mapped: the body ended 2 bytes short of 4");
    }

    @Test
    void anEmptyUploadIsReadToItsEnd() {
        StepVerifier.create(LengthCheckedBody.untilEndOfEmpty(UploadBody.of(0, source.flux())))
                .then(() -> source.next(piece("")).complete())
                .verifyComplete();
    }

    @Test
    void anEmptyUploadMustBeEmpty() {
        Flux<ByteBuf> tooMuch = Flux.just(piece("a"), piece("b"));
        StepVerifier.create(LengthCheckedBody.untilEndOfEmpty(UploadBody.of(0, tooMuch)))
                .verifyError(LengthMismatch.class);
        made.get(1).release();
    }

    private static Throwable mapped(Throwable failure) {
        return new IllegalStateException("mapped: " + failure.getMessage());
    }

    /** Reads the pieces as text and releases them, as their owner. */
    private static Flux<String> read(Flux<ByteBuf> body) {
        return body.map(piece -> {
            String text = piece.toString(US_ASCII);
            piece.release();
            return text;
        });
    }

    private ByteBuf piece(String text) {
        ByteBuf piece = Unpooled.copiedBuffer(text, US_ASCII);
        made.add(piece);
        return piece;
    }
}
