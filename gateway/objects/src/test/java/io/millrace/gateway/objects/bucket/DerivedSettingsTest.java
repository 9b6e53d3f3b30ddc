package io.millrace.gateway.objects.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.BucketName;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The archive of a key is its shortest beginning that the pattern matches. */
class DerivedSettingsTest {
    @ParameterizedTest
    @CsvSource({
        "**.tar, a.tar/b, a.tar",
        "**.tar, train/a.tar/b.tar/c, train/a.tar",
        "**.tar, a.tar, ''",
        "**.tar, a.tar/, a.tar",
        "**.tar, a.zip/b, ''",
        "**.tar, /a, ''",
        "*, x/a.TAR/b, x/a.TAR",
        "*, x/y/z, ''",
        "*, x/a.tgz/b, x/a.tgz",
        "train/*.tar, val/a.tar/b, ''",
        "train/*.tar, train/a.tar/b, train/a.tar"
    })
    void archiveOfAKey(String members, String key, String archive) {
        DerivedSettings settings = new DerivedSettings(new BucketName("shards"), KeyPattern.parse(members));

        int length = settings.archiveLength(key);

        assertThat(length < 0 ? "" : key.substring(0, length)).isEqualTo(archive);
    }

    @Test
    void patternOfCompressedArchivesIsRefused() {
        assertThatThrownBy(() -> new DerivedSettings(new BucketName("shards"), KeyPattern.parse("**.tar.gz")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("decompress it once");
    }

    @ParameterizedTest
    @CsvSource({
        "'**.{tar,zip}', a derived bucket for each pattern",
        "'**.[tz]ar', a derived bucket for each pattern",
        "*.jpg, as **.tar",
        "train/*/, as **.tar",
        "train, as **.tar"
    })
    void patternOfNoArchiveIsRefused(String members, String remedy) {
        assertThatThrownBy(() -> new DerivedSettings(new BucketName("shards"), KeyPattern.parse(members)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("members ")
                .hasMessageContaining(remedy);
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "**", "train/*", "*ar", "*.ZIP", "*.ta?", "one.tar"})
    void patternOfAnArchiveIsTaken(String members) {
        assertThat(new DerivedSettings(new BucketName("shards"), KeyPattern.parse(members))
                        .members()
                        .value())
                .isEqualTo(members);
    }

    @Test
    void transformHasNoPatternOfArchives() {
        assertThatThrownBy(() ->
                        new DerivedSettings(new BucketName("images"), KeyPattern.parse("*.tar"), Optional.of("thumb")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no place beside 'transform'");
    }
}
