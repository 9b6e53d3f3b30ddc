package io.millrace.config.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.millrace.config.SettingDescription;
import io.millrace.config.SettingsVariantRegistry;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests the reference page: each key once, and no broken link. */
class SettingsReferenceGeneratorTest {
    private static final String PAGE =
            SettingsReferenceGenerator.markdown(SampleSettings.class, SampleSettings.VARIANTS);

    @Test
    void sectionsFollowTheRecordsInTheirOrder() {
        assertThat(found("(?m)^##+ (.*)$"))
                .containsExactly(
                        "How values are written",
                        "Environment variables",
                        "Secrets",
                        "The file",
                        "`s3`",
                        "`admin`",
                        "`cache`",
                        "`cache.disks[]`",
                        "`backends.<name>`",
                        "`backends.<name>` of type `s3`",
                        "`backends.<name>` of type `file`",
                        "`buckets[]`",
                        "`buckets[].freshness`",
                        "`identities[]`");
    }

    @Test
    void aKeyHasItsTypeDefaultVariableAndMeaning() {
        assertThat(PAGE)
                .contains("| `block-size` | size | `1MiB` | `MILLRACE_CACHE_BLOCK_SIZE` |"
                        + " Size of a block. Smaller ones cost memory. |")
                .contains("| `path` | path | required | `MILLRACE_CACHE_DISKS_<N>_PATH` | Folder of the disk. |")
                .contains("| `integrity` | `first-read` or `always` | `first-read` | `MILLRACE_CACHE_INTEGRITY` |")
                .contains("| `domain` | text | none | `MILLRACE_S3_DOMAIN` |"
                        + " Domain of virtual-host style. Example: `s3.local`. |")
                .contains("| `prefix` | text | `\"\"` | `MILLRACE_BUCKETS_<N>_PREFIX` |")
                .contains("| `stale-if-error` | duration | `0s` | `MILLRACE_BUCKETS_<N>_FRESHNESS_STALE_IF_ERROR` |")
                .contains("| `allow` | list of allow rules | none | `MILLRACE_IDENTITIES_<N>_ALLOW` |")
                .contains("| `backends` | by name, [keys](#backendsname) | none | – | Where objects live. |");
    }

    @Test
    void aSecretHasBothItsKeys() {
        assertThat(PAGE)
                .contains(
                        "| `secret-key` | secret | one of the two is required | `MILLRACE_IDENTITIES_<N>_SECRET_KEY` |")
                .contains("| `secret-key-file` | path | none | `MILLRACE_IDENTITIES_<N>_SECRET_KEY_FILE` |")
                .contains("| `secret-key` | secret | none | `MILLRACE_BACKENDS_<NAME>_SECRET_KEY` |");
    }

    @Test
    void keyThatSelectsTheOthersHasItsVariable() {
        assertThat(PAGE).contains("The key `type` (`MILLRACE_BACKENDS_<NAME>_TYPE`) selects the other keys:");
    }

    @Test
    void everyLinkLeadsToASection() {
        List<String> anchors = found("(?m)^##+ (.*)$").stream()
                .map(title -> title.toLowerCase(Locale.ROOT)
                        .replaceAll("[^a-z0-9 _-]", "")
                        .replace(' ', '-'))
                .toList();
        assertThat(found("\\]\\(#([^)]*)\\)"))
                .isNotEmpty()
                .allSatisfy(link -> assertThat(anchors).contains(link));
    }

    @Test
    void everyRowHasAllCells() {
        assertThat(found("(?m)^(\\|.*)$"))
                .allSatisfy(row -> assertThat(row.replace("\\|", "")).matches("(\\|[^|]+){3,5}\\|"));
    }

    @Test
    void escapesPipesInTheTable() {
        String page = SettingsReferenceGenerator.markdown(Piped.class, SampleSettings.VARIANTS);
        assertThat(page).contains("| `a` | whole number | `1` | `MILLRACE_A` | This \\| that. More. Example: `2`. |");
    }

    record Piped(
            @SettingDescription(value = "This | that.\nMore.", defaultValue = "1", example = "2")
            int a) {}

    @Test
    void aRecordWithinItselfIsWrittenOnce() {
        assertThat(SettingsReferenceGenerator.markdown(Branch.class, SampleSettings.VARIANTS))
                .contains("| `left` | [keys](#left) | none |");
    }

    record Branch(@SettingDescription("x") Optional<Branch> left) {}

    @Test
    void missingFamilyIsAProgrammingError() {
        assertThatIllegalStateException()
                .isThrownBy(() -> SettingsReferenceGenerator.markdown(
                        SampleSettings.class, SettingsVariantRegistry.builder().build()))
                .withMessageContaining("backend");
    }

    private static List<String> found(String pattern) {
        return Pattern.compile(pattern)
                .matcher(PAGE)
                .results()
                .map((MatchResult result) -> result.group(1))
                .toList();
    }
}
