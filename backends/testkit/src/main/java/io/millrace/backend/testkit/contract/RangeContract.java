package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.data.GeneratedBytes;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads of every form of a single range. */
interface RangeContract extends ContractSupport {
    /** Size in bytes of the object that the ranges below are read from. */
    int RANGED_SIZE = 100_000;

    static Stream<RangeSpec> satisfiable() {
        return Stream.of(
                new RangeSpec.Bounded(0, 0),
                new RangeSpec.Bounded(0, 99_999),
                new RangeSpec.Bounded(17, 65_536),
                new RangeSpec.Bounded(99_999, 99_999),
                new RangeSpec.Bounded(99_990, 100_000),
                new RangeSpec.Bounded(5, Long.MAX_VALUE),
                new RangeSpec.OpenEnded(0),
                new RangeSpec.OpenEnded(99_999),
                new RangeSpec.OpenEnded(33_333),
                new RangeSpec.Suffix(1),
                new RangeSpec.Suffix(70_000),
                new RangeSpec.Suffix(100_000),
                new RangeSpec.Suffix(100_001),
                new RangeSpec.Suffix(Long.MAX_VALUE));
    }

    static Stream<RangeSpec> unsatisfiable() {
        return Stream.of(
                new RangeSpec.Bounded(100_000, 100_000),
                new RangeSpec.Bounded(1L << 40, 1L << 41),
                new RangeSpec.OpenEnded(100_000),
                new RangeSpec.Suffix(0));
    }

    static Stream<RangeSpec> ofNothing() {
        return Stream.of(new RangeSpec.Bounded(0, 0), new RangeSpec.OpenEnded(0), new RangeSpec.Suffix(1));
    }

    @ParameterizedTest
    @MethodSource("satisfiable")
    default void rangeBringsExactlyItsBytes(RangeSpec spec) {
        ReadRequest request =
                readRequest(seeded("ranged", RANGED_SIZE)).withSelection(new ByteSelection.RangeSelection(spec));
        ByteRange expected = spec.resolve(RANGED_SIZE).orElseThrow();

        ObjectContent content = open(request);

        assertThat(content.range()).contains(expected);
        assertThat(content.head().size()).as("size of the whole").isEqualTo(RANGED_SIZE);
        assertThat(drain(content))
                .isEqualTo(GeneratedBytes.of("ranged").slice(expected.first(), (int) expected.length()));
    }

    @ParameterizedTest
    @MethodSource("satisfiable")
    default void headOfARangeReportsRangeAndSize(RangeSpec spec) {
        ReadRequest request =
                readRequest(seeded("ranged", RANGED_SIZE)).withSelection(new ByteSelection.RangeSelection(spec));

        HeadResult reported = head(request);

        assertThat(reported.range()).isEqualTo(spec.resolve(RANGED_SIZE));
        assertThat(reported.head().size()).isEqualTo(RANGED_SIZE);
    }

    @ParameterizedTest
    @MethodSource("unsatisfiable")
    default void rangeThatSelectsNothingFailsAndReportsTheSize(RangeSpec spec) {
        ReadRequest request =
                readRequest(seeded("ranged", RANGED_SIZE)).withSelection(new ByteSelection.RangeSelection(spec));

        BackendException failure = assertFails(request, BackendException.FailureKind.INVALID_RANGE);

        assertThat(failure.objectSize()).hasValue(RANGED_SIZE);
    }

    @ParameterizedTest
    @MethodSource("ofNothing")
    default void noRangeSelectsBytesOfAnEmptyObject(RangeSpec spec) {
        ObjectKey key = seeded("empty", 0);

        BackendException failure = assertFails(
                readRequest(key).withSelection(new ByteSelection.RangeSelection(spec)),
                BackendException.FailureKind.INVALID_RANGE);

        assertThat(failure.objectSize()).hasValue(0);
    }
}
