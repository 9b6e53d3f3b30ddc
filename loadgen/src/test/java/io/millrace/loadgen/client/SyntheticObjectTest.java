package io.millrace.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests that the bytes of synthetic objects tell objects and offsets apart. */
class SyntheticObjectTest {
    @Test
    void anotherObjectOfTheSameSizeDiffers() {
        SyntheticObject other = SyntheticObject.of("b/1000").orElseThrow();

        assertThat(SyntheticObject.of("a/1000").orElseThrow().matches(0, other.bytes(0, 1000)))
                .isFalse();
    }

    @Test
    void bytesOfAnotherOffsetDiffer() {
        SyntheticObject object = SyntheticObject.of("a/1099511627776").orElseThrow();

        for (int power = 12; power < 40; power++) {
            assertThat(object.matches(0, object.bytes(1L << power, 4096))).isFalse();
        }
        assertThat(object.matches(5, object.bytes(5, 4096))).isTrue();
    }

    @Test
    void generatedKeyHasTheIndexAndTheSize() {
        GeneratedObjects objects = new GeneratedObjects("p/", 100, SizeDistribution.parse("4KiB"));

        TestObject object = objects.get(42);

        assertThat(object.key()).isEqualTo("p/0000000042/4096");
        assertThat(SyntheticObject.of(object.key())).contains(new SyntheticObject(object.key(), 4096));
    }
}
