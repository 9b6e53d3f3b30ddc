package io.millrace.backend.testkit.data;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Generated content does not depend on how it is sliced, and differs where names or seeds do. */
class GeneratedBytesTest {
    @Test
    void sliceIsWhatItsBytesAre() {
        GeneratedBytes bytes = new GeneratedBytes("name", 7);
        byte[] whole = bytes.first(1000);

        for (int first = 0; first < 30; first++) {
            byte[] slice = bytes.slice(first, 100 - first);
            for (int i = 0; i < slice.length; i++) {
                assertThat(slice[i]).isEqualTo(whole[first + i]).isEqualTo(bytes.at(first + i));
            }
        }
    }

    @Test
    void namesSeedsAndPlacesDiffer() {
        byte[] one = new GeneratedBytes("a", 0).first(64);

        assertThat(new GeneratedBytes("b", 0).first(64)).isNotEqualTo(one);
        assertThat(new GeneratedBytes("a", 1).first(64)).isNotEqualTo(one);
        assertThat(new GeneratedBytes("a", 0).slice(64, 64)).isNotEqualTo(one);
        assertThat(new GeneratedBytes("a", 0).slice(1L << 40, 64)).isNotEqualTo(one);
    }
}
