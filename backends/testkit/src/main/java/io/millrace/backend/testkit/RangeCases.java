package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.RangeSpec;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.backend.spi.SelectedHead;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every form of one range. */
interface RangeCases extends ContractCases {
    /** Bytes of the object that the ranges below are asked of. */
    int RANGED_SIZE = 100_000;

    static Stream<RangeSpec> satisfiable() {
        return Stream.of(
                new RangeSpec.Closed(0, 0),
                new RangeSpec.Closed(0, 99_999),
                new RangeSpec.Closed(17, 65_536),
                new RangeSpec.Closed(99_999, 99_999),
                new RangeSpec.Closed(99_990, 100_000),
                new RangeSpec.Closed(5, Long.MAX_VALUE),
                new RangeSpec.From(0),
                new RangeSpec.From(99_999),
                new RangeSpec.From(33_333),
                new RangeSpec.Suffix(1),
                new RangeSpec.Suffix(70_000),
                new RangeSpec.Suffix(100_000),
                new RangeSpec.Suffix(100_001),
                new RangeSpec.Suffix(Long.MAX_VALUE));
    }

    static Stream<RangeSpec> unsatisfiable() {
        return Stream.of(
                new RangeSpec.Closed(100_000, 100_000),
                new RangeSpec.Closed(1L << 40, 1L << 41),
                new RangeSpec.From(100_000),
                new RangeSpec.Suffix(0));
    }

    static Stream<RangeSpec> ofNothing() {
        return Stream.of(new RangeSpec.Closed(0, 0), new RangeSpec.From(0), new RangeSpec.Suffix(1));
    }

    @ParameterizedTest
    @MethodSource("satisfiable")
    default void rangeBringsExactlyItsBytes(RangeSpec spec) {
        ReadRequest request = asking(seeded("ranged", RANGED_SIZE)).select(new Selection.Range(spec));
        ByteRange expected = spec.within(RANGED_SIZE).orElseThrow();

        ObjectContent content = open(request);

        assertThat(content.range()).contains(expected);
        assertThat(content.head().size()).as("size of the whole").isEqualTo(RANGED_SIZE);
        assertThat(drain(content)).isEqualTo(Bytes.of("ranged").slice(expected.first(), (int) expected.length()));
    }

    @ParameterizedTest
    @MethodSource("satisfiable")
    default void headOfARangeTellsTheRangeAndTheWholeSize(RangeSpec spec) {
        ReadRequest request = asking(seeded("ranged", RANGED_SIZE)).select(new Selection.Range(spec));

        SelectedHead told = head(request);

        assertThat(told.range()).isEqualTo(spec.within(RANGED_SIZE));
        assertThat(told.head().size()).isEqualTo(RANGED_SIZE);
    }

    @ParameterizedTest
    @MethodSource("unsatisfiable")
    default void rangeThatSelectsNothingFailsAndTellsTheSize(RangeSpec spec) {
        ReadRequest request = asking(seeded("ranged", RANGED_SIZE)).select(new Selection.Range(spec));

        BackendException failure = assertFails(request, BackendException.Kind.INVALID_RANGE);

        assertThat(failure.size()).hasValue(RANGED_SIZE);
    }

    @ParameterizedTest
    @MethodSource("ofNothing")
    default void noRangeSelectsBytesOfAnEmptyObject(RangeSpec spec) {
        ObjectKey key = seeded("empty", 0);

        BackendException failure =
                assertFails(asking(key).select(new Selection.Range(spec)), BackendException.Kind.INVALID_RANGE);

        assertThat(failure.size()).hasValue(0);
    }
}
