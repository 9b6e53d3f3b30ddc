package io.millrace.gateway.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@code bench/fuzz.sh} searches for hours, for a moment: the inputs that are kept, and some changes of them. */
class FuzzTargetsTest {
    private static final int CHANGED = 2_000;

    @ParameterizedTest
    @EnumSource
    void everyCorpusInputHolds(Kind kind) {
        FuzzTarget target = kind.newTarget();
        for (byte[] input : Corpus.of(kind)) {
            run(target, input);
        }
        // Inputs that are all refused would show nothing of what is behind the door.
        assertThat(target.outcomes().keySet())
                .anyMatch(outcome -> outcome.startsWith("2"))
                .anyMatch(outcome -> outcome.startsWith("4"));
    }

    @ParameterizedTest
    @EnumSource
    void mutatedCorpusInputsHold(Kind kind) {
        FuzzTarget target = kind.newTarget();
        List<byte[]> kept = Corpus.of(kind);
        Changes changes = new Changes(20, kept);
        for (int i = 0; i < CHANGED; i++) {
            run(target, changes.next());
        }
    }

    private static void run(FuzzTarget target, byte[] input) {
        try {
            target.accept(input);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("for the input\n" + new String(input, StandardCharsets.ISO_8859_1), e);
        }
    }
}
