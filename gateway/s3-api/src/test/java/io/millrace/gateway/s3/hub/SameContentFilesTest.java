package io.millrace.gateway.s3.hub;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which files are fetched because another one with their content was read. */
class SameContentFilesTest {
    private static final String TAG = "\"0123\"";

    private final SameContentFiles files = new SameContentFiles();

    @Test
    void headsBeforeAReadAreFetchedWithIt() {
        assertThat(note("a", false)).isEmpty();
        assertThat(note("b", false)).isEmpty();

        assertThat(note("a", true)).containsExactly("b");
        assertThat(note("b", true)).isEmpty();
        assertThat(note("c", false)).containsExactly("c");
    }

    @Test
    void fileThatCouldNotBeFetchedIsTriedAgainOnce() {
        assertThat(note("a", true)).isEmpty();
        assertThat(note("b", false)).containsExactly("b");

        files.noteFailure(request("b"), TAG);

        assertThat(note("a", false)).containsExactly("b");
        assertThat(note("a", false)).as("it is being fetched").isEmpty();
        files.noteFailure(request("b"), TAG);
        assertThat(note("b", true)).as("its client has it").isEmpty();
        assertThat(note("a", true)).isEmpty();
    }

    @Test
    void failuresAreTriedAgainAlsoIfNoMoreFilesAreNoted() {
        note("a", true);
        for (int i = 0; i < 100; i++) {
            note("other-" + i, false);
        }
        files.noteFailure(request("other-1"), TAG);

        assertThat(note("beyond", false)).containsExactly("other-1");
        assertThat(note("beyond", false)).as("fetched when it is read").isEmpty();
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
