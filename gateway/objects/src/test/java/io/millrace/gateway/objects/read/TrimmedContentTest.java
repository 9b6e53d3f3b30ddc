package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.data.UploadBodies;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;

/** What a client gets of a response that has more than it asked for, and of the metadata of a part. */
@ExtendWith(BufferLeakExtension.class)
class TrimmedContentTest {
    private static final String TEXT = "0123456789";

    @ParameterizedTest
    @CsvSource({"0, 9", "0, 0", "9, 9", "2, 3", "3, 5", "1, 8", "4, 100"})
    void hasTheBytesOfTheRange(int first, int last) {
        int end = Math.min(last, 9);

        ObjectContent trimmed = TrimmedContent.of(content(Optional.empty(), TEXT), new RangeSpec.Bounded(first, last))
                .orElseThrow();

        assertThat(trimmed.range()).contains(new ByteRange(first, end));
        assertThat(text(trimmed)).isEqualTo(TEXT.substring(first, end + 1));
    }

    @ParameterizedTest
    @CsvSource({"3, 6, 3456", "4, 5, 45", "3, 3, 3", "6, 6, 6"})
    void rangeLiesWithinThatOfTheResponse(int first, int last, String expected) {
        ObjectContent brought = content(Optional.of(new ByteRange(3, 6)), "3456");

        assertThat(text(TrimmedContent.of(brought, new RangeSpec.Bounded(first, last))
                        .orElseThrow()))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"2, 4", "5, 7", "7, 8", "20, 30"})
    void isEmptyIfSomethingIsMissing(int first, int last) {
        ObjectContent brought = content(Optional.of(new ByteRange(3, 6)), "3456");

        assertThat(TrimmedContent.of(brought, new RangeSpec.Bounded(first, last)))
                .isEmpty();
    }

    /** That which is behind it is not read. */
    @Test
    void endsWithTheLastByteOfTheRange() {
        Flux<ByteBuf> pieces = Flux.just("012", "345")
                .map(text -> Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII))
                .concatWith(Flux.error(new IllegalStateException("read on")));
        ObjectContent brought = new ObjectContent(head(HeaderList.EMPTY), Optional.empty(), pieces);

        assertThat(text(TrimmedContent.of(brought, new RangeSpec.Bounded(3, 5)).orElseThrow()))
                .isEqualTo("345");
    }

    @Test
    void othersSelectionsAreOfTheWholeObject() {
        ByteRange whole = new ByteRange(0, 9);

        assertThat(TrimmedContent.range(new ByteSelection.WholeObject(), 10)).isEqualTo(whole);
        assertThat(TrimmedContent.range(new ByteSelection.RangeSelection(new RangeSpec.Suffix(3)), 10))
                .isEqualTo(new ByteRange(7, 9));
        assertThat(TrimmedContent.range(new ByteSelection.RangeSelection(new RangeSpec.OpenEnded(10)), 10))
                .isEqualTo(whole);
    }

    @Test
    void partHasItsOwnChecksumsAndTheOtherFieldsOfItsObject() {
        HeaderList ofThePart = HeaderList.EMPTY
                .with("x-amz-mp-parts-count", "3")
                .with("x-amz-checksum-crc32", "part")
                .with("content-type", "text/part");
        HeaderList ofTheWhole =
                HeaderList.EMPTY.with("x-amz-checksum-crc32", "whole").with("content-type", "text/x");
        Optional<ByteRange> range = Optional.of(new ByteRange(3, 6));

        ObjectPart part = ObjectPart.of(new HeadResult(head(ofThePart), range));

        assertThat(part.range()).isEqualTo(range);
        assertThat(part.describe(head(ofTheWhole)).headers().fields())
                .extracting(HeaderField::name, HeaderField::value)
                .containsExactlyInAnyOrder(
                        tuple("content-type", "text/x"),
                        tuple("x-amz-mp-parts-count", "3"),
                        tuple("x-amz-checksum-crc32", "part"));
        assertThat(part.describe(head(ofTheWhole)).version())
                .isEqualTo(head(ofTheWhole).version());
    }

    /** In pieces of three bytes, some of which are before or behind a range. */
    private static ObjectContent content(Optional<ByteRange> range, String text) {
        Flux<ByteBuf> pieces = Flux.range(0, (text.length() + 2) / 3)
                .map(number -> Unpooled.copiedBuffer(
                        text.substring(3 * number, Math.min(text.length(), 3 * number + 3)),
                        StandardCharsets.US_ASCII));
        return new ObjectContent(head(HeaderList.EMPTY), range, pieces);
    }

    private static ObjectHead head(HeaderList headers) {
        Optional<ETag> tag = Optional.of(ETag.strong("v"));
        return new ObjectHead(ObjectVersion.ofETag(tag, 10, Optional.empty()), tag, Optional.empty(), headers);
    }

    private static String text(ObjectContent content) {
        List<String> pieces = content.body()
                .map(piece -> new String(UploadBodies.takeBytes(piece), StandardCharsets.US_ASCII))
                .collectList()
                .blockOptional()
                .orElseThrow();
        assertThat(pieces).doesNotContain("");
        return String.join("", pieces);
    }
}
