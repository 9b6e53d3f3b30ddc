package io.millrace.gateway.archive;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which keys are those of archives, and how long the names of their members may be. */
class ArchiveFormatTest {
    @Test
    void suffixesTellTheFormat() {
        assertThat(ArchiveFormat.ofKey("train/0001.tar")).contains(ArchiveFormat.TAR);
        assertThat(ArchiveFormat.ofKey("a.ZIP")).contains(ArchiveFormat.ZIP);
        assertThat(ArchiveFormat.ofKey("a.tar.txt")).isEmpty();
        assertThat(ArchiveFormat.ofKey("tar")).isEmpty();
        assertThat(ArchiveFormat.ofKey("a.gz")).isEmpty();
        assertThat(ArchiveFormat.whyNotRead("a.gz")).isEmpty();
        assertThat(ArchiveFormat.whyNotRead("a.tar")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.tar.gz", "a.tgz", "A.TAR.ZST", "a.tar.lz4", "a.tar.bz2", "a.tar.xz"})
    void compressedArchivesAreNotReadAndSayWhatToDo(String key) {
        assertThat(ArchiveFormat.ofKey(key)).isEmpty();
        assertThat(ArchiveFormat.whyNotRead(key))
                .hasValueSatisfying(why -> assertThat(why)
                        .startsWith("a " + key.substring(1).toLowerCase(Locale.ROOT))
                        .contains("decompress it once"));
    }

    @Test
    void keysOfMembersHaveAtMost1024Bytes() {
        byte[] tar = new TarBytes()
                .pax('x', "path", "n".repeat(1000))
                .file("n", "")
                .pax('x', "path", "n".repeat(1001))
                .file("n", "")
                .ended();
        int key = "train/01234567890.tar01".getBytes(StandardCharsets.US_ASCII).length;

        Scan scan = Scan.of(ArchiveFormat.TAR, tar, ArchiveLimits.defaults().belowKey(key));

        assertThat(scan.names()).containsExactly("n".repeat(1000));
        assertThat(scan.hidden()).containsOnlyKeys(HiddenReason.LONG_NAME);
        assertThat(ArchiveLimits.defaults().belowKey(2000).nameBytes()).isZero();
    }
}
