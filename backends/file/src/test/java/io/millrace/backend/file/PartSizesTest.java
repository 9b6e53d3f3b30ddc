package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Part sizes give the offset of a part and stay small: 10,000 parts must not cost each metadata read 10,000 numbers.
 */
class PartSizesTest {
    @Test
    void equalPartsAreOneRun() {
        PartSizes sizes = PartSizes.of(Stream.concat(Collections.nCopies(9_999, 8L << 20).stream(), Stream.of(77L))
                .toList());

        assertThat(sizes.format()).isEqualTo("9999*8388608 1*77");
        assertThat(sizes.count()).isEqualTo(10_000);
        assertThat(sizes.offset(1)).isZero();
        assertThat(sizes.offset(10_000)).isEqualTo(9_999 * (8L << 20));
        assertThat(sizes.offset(10_001)).isEqualTo(9_999 * (8L << 20) + 77);
    }

    @Test
    void unequalPartsBeginWhereTheOnesBeforeEnd() {
        PartSizes sizes = PartSizes.of(List.of(5L, 7L, 7L, 5L, 0L));

        assertThat(Stream.of(1, 2, 3, 4, 5, 6).map(sizes::offset)).containsExactly(0L, 5L, 12L, 19L, 24L, 24L);
    }

    @Test
    void textReadsBackAsItWas() {
        PartSizes sizes = PartSizes.of(List.of(5L, 7L, 7L, 5L));

        assertThat(PartSizes.parse(sizes.format())).isEqualTo(sizes);
    }
}
