package io.millrace.gateway.s3.hub;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which files are fetched because another one with their content was read. */
class SameContentFilesTest {
    private static final String TAG = "\"0123\"";

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final SameContentFiles files = new SameContentFiles(() -> now);

    @Test
    void headsBeforeAReadAreFetchedWithIt() {
        assertThat(note("a", false)).isEmpty();
        assertThat(note("b", false)).isEmpty();

        assertThat(note("a", true)).containsExactly("b");
        assertThat(note("b", true)).isEmpty();
        assertThat(note("c", false)).containsExactly("c");
    }

    @Test
    void fileThatCouldNotBeFetchedIsTriedAgainOnceAfterAPause() {
        assertThat(note("a", true)).isEmpty();
        assertThat(note("b", false)).containsExactly("b");

        files.noteFailure(request("b"), TAG);

        pass(SameContentFiles.FIRST_PAUSE.minusMillis(1));
        assertThat(note("a", true)).isEmpty();
        assertThat(note("a", false)).isEmpty();
        assertThat(note("b", false)).isEmpty();
        pass(Duration.ofMillis(1));
        assertThat(note("a", false)).containsExactly("b");
        assertThat(note("a", false)).as("it is being fetched").isEmpty();
    }

    @Test
    void fileThatIsReadInAPauseIsNotFetchedAfterIt() {
        note("a", true);
        note("b", false);
        files.noteFailure(request("b"), TAG);

        assertThat(note("b", true)).as("its client has it").isEmpty();
        pass(SameContentFiles.FIRST_PAUSE);

        assertThat(note("a", true)).isEmpty();
        assertThat(note("b", false)).isEmpty();
    }

    @Test
    void headsInAPauseAreFetchedAfterIt() {
        note("a", true);
        note("b", false);
        files.noteFailure(request("b"), TAG);

        assertThat(note("c", false)).isEmpty();
        pass(SameContentFiles.FIRST_PAUSE);

        assertThat(note("a", false)).containsExactlyInAnyOrder("b", "c");
    }

    /** A Hub that is away for long is asked ever less, however many files fail at once. */
    @Test
    void eachRoundOfFailuresDoublesThePause() {
        note("a", true);
        List<String> round = List.of("b", "c", "d");
        round.forEach(path -> note(path, false));

        for (int seconds : new int[] {30, 60, 120, 240, 480, 600, 600}) {
            round.forEach(path -> files.noteFailure(request(path), TAG));
            pass(Duration.ofSeconds(seconds).minusMillis(1));
            assertThat(note("a", false)).as("before %d s", seconds).isEmpty();
            pass(Duration.ofMillis(1));
            assertThat(note("a", false)).as("after %d s", seconds).containsExactlyInAnyOrderElementsOf(round);
        }
    }

    /** Each failure begins the pause anew, so that the last one counts. */
    @Test
    void laterFailureOfARoundPutsItsEndOff() {
        note("a", true);
        note("b", false);
        note("c", false);
        files.noteFailure(request("b"), TAG);
        pass(Duration.ofSeconds(20));
        files.noteFailure(request("c"), TAG);

        pass(Duration.ofSeconds(29));
        assertThat(note("a", false)).isEmpty();
        pass(Duration.ofSeconds(1));
        assertThat(note("a", false)).containsExactlyInAnyOrder("b", "c");
    }

    @Test
    void failuresAreTriedAgainAlsoIfNoMoreFilesAreNoted() {
        note("a", true);
        for (int i = 0; i < 100; i++) {
            note("other-" + i, false);
        }
        files.noteFailure(request("other-1"), TAG);
        pass(SameContentFiles.FIRST_PAUSE);

        assertThat(note("beyond", false)).containsExactly("other-1");
        assertThat(note("beyond", false)).as("fetched when it is read").isEmpty();
    }

    private void pass(Duration time) {
        now = now.plus(time);
    }

    private List<String> note(String path, boolean isRead) {
        return files.note(request(path), TAG, 10, isRead).stream()
                .map(HubRequest::path)
                .toList();
    }

    private static HubRequest request(String path) {
        return HubRequest.parse("/org/name/resolve/" + "0".repeat(40) + "/" + path)
                .orElseThrow();
    }
}
