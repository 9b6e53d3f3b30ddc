package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Every byte that a test checks is compared with these: they must not depend on how they are cut, and differ where names do. */
class BytesTest {
    @Test
    void sliceIsWhatItsBytesAre() {
        Bytes bytes = new Bytes("name", 7);
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
        byte[] one = new Bytes("a", 0).first(64);

        assertThat(new Bytes("b", 0).first(64)).isNotEqualTo(one);
        assertThat(new Bytes("a", 1).first(64)).isNotEqualTo(one);
        assertThat(new Bytes("a", 0).slice(64, 64)).isNotEqualTo(one);
        assertThat(new Bytes("a", 0).slice(1L << 40, 64)).isNotEqualTo(one);
    }
}
