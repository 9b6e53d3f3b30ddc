package io.millrace.gateway.agreement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The state of a voter is what its folder says, and a log is never lost by a change of it. */
class VoterFolderTest {
    private final Path path;
    private final VoterFolder folder;

    VoterFolderTest(@TempDir Path temporary) {
        path = temporary.resolve("agreement");
        Map<String, String> voters = Map.of("gw-0", "127.0.0.1:1");
        folder = new VoterFolder(
                new AgreementPlace("prod", "gw-0", voters, voters.keySet(), new InetSocketAddress(0), "secret", path));
    }

    @Test
    void newFolderIsEmptyAndRemembersItsState() throws IOException {
        assertThat(folder.state()).isEqualTo(VoterState.EMPTY);
        for (VoterState state : VoterState.values()) {
            folder.become(state);

            assertThat(folder.state()).isEqualTo(state);
        }
    }

    @Test
    void stateThatCannotBeReadIsAFailureWithARemedy() throws IOException {
        folder.become(VoterState.VOTING);
        for (String damage : new String[] {"", "VOTES", "x".repeat(100)}) {
            Files.writeString(path.resolve("state"), damage);

            assertThatThrownBy(folder::state).isInstanceOf(IOException.class).hasMessageContaining("move " + path);
        }
    }

    @Test
    void logThatIsSetAsideReplacesTheOneBefore() throws IOException {
        for (String content : new String[] {"old", "new"}) {
            Files.createDirectories(folder.log());
            Files.writeString(folder.log().resolve("file"), content);
            folder.setLogAside();
        }

        assertThat(folder.log()).doesNotExist();
        assertThat(folder.damaged().resolve("file")).hasContent("new");
    }
}
