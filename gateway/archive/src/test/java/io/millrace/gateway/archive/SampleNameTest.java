package io.millrace.gateway.archive;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that samples are those of WebDataset. */
class SampleNameTest {
    @ParameterizedTest
    @CsvSource({
        "a.jpg, a.",
        "a.seg.png, a.",
        "a, a",
        "d.1/a.jpg, d.1/a.",
        "d.1/a, d.1/a",
        "d/.hidden, d/.hidden",
        ".hidden.txt, .hidden.txt"
    })
    void sampleIsTheNameUpToItsFirstDot(String name, String sample) {
        assertThat(SampleName.of(name)).isEqualTo(sample);
    }
}
