package io.millrace.gateway.jobs.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.ETag;
import io.millrace.gateway.jobs.plan.PlanItem.Listed;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InventoryManifestTest {
    private static final String WRITTEN = "2026-03-01T10:20:30.000Z";

    private final InventoryManifest inventory = withColumns("Bucket, Key, Size, LastModifiedDate, ETag");

    @Test
    void sizeDateAndETagAreWhatAListingShows() {
        assertThat(inventory.current("\"data\",\"a%2Fb+c\",\"10\",\"" + WRITTEN + "\",\"0cc1-7\""))
                .contains(new ManifestEntry(
                        "a/b c",
                        Optional.of(new Listed(10, Optional.of(ETag.strong("0cc1-7")), Instant.parse(WRITTEN)))));
    }

    @Test
    void columnsMayHaveAnyOrder() {
        assertThat(withColumns("ETag, LastModifiedDate, Size, Key").current("\"e\",\"" + WRITTEN + "\",\"7\",\"k\""))
                .contains(new ManifestEntry(
                        "k", Optional.of(new Listed(7, Optional.of(ETag.strong("e")), Instant.parse(WRITTEN)))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"data\",\"k\"",
                "\"data\",\"k\",\"10\"",
                "\"data\",\"k\",\"10\",\"\",\"e\"",
                "\"data\",\"k\",\"\",\"" + WRITTEN + "\",\"e\"",
                "\"data\",\"k\",\"-1\",\"" + WRITTEN + "\",\"e\"",
                "\"data\",\"k\",\"99999999999999999999\",\"" + WRITTEN + "\",\"e\"",
                "\"data\",\"k\",\"10\",\"yesterday\",\"e\""
            })
    void objectWithoutValidSizeAndDateIsNamedOnly(String line) {
        assertThat(inventory.current(line)).contains(new ManifestEntry("k", Optional.empty()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "two words", "a\"\"b", "é"})
    void invalidETagIsLeftOut(String tag) {
        assertThat(inventory.current("\"data\",\"k\",\"10\",\"" + WRITTEN + "\",\"" + tag + "\""))
                .contains(
                        new ManifestEntry("k", Optional.of(new Listed(10, Optional.empty(), Instant.parse(WRITTEN)))));
    }

    @Test
    void invalidEscapeInKeyEndsThePlan() {
        assertThatThrownBy(() -> inventory.current("\"data\",\"100%zz\""))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("100%zz");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Parquet", "ORC"})
    void otherFormatIsRefusedWithItsRemedy(String format) {
        assertThatThrownBy(() -> parsed(format, "message s3.inventory { required binary key (UTF8); }"))
                .isInstanceOf(PlanException.class)
                .hasMessage("an inventory in %s is not supported: configure it as CSV", format);
    }

    private static InventoryManifest withColumns(String columns) {
        return parsed("CSV", columns);
    }

    private static InventoryManifest parsed(String format, String schema) {
        return InventoryManifest.parse("""
                {"sourceBucket": "data", "fileFormat": "%s", "fileSchema": "%s", "files": []}
                """.formatted(format, schema).getBytes(StandardCharsets.UTF_8));
    }
}
