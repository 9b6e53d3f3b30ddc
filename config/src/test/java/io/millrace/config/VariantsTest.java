package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

/** Backends announce themselves under a name; two of one name would silently hide each other. */
class VariantsTest {
    @Test
    void aTypeIsAddedOnce() {
        Variants.Builder builder = Variants.builder().add("backend", "s3", Sample.S3Backend.class);
        assertThatIllegalArgumentException().isThrownBy(() -> builder.add("backend", "s3", Sample.FileBackend.class));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.notYet("backend", "s3", "wait"));
        assertThat(builder.add("frontend", "s3", Sample.FileBackend.class)
                        .build()
                        .records("frontend"))
                .containsOnlyKeys("s3");
    }

    @Test
    void whatIsAddedLaterDoesNotReachWhatWasBuilt() {
        Variants.Builder builder = Variants.builder().add("backend", "s3", Sample.S3Backend.class);
        Variants built = builder.build();
        builder.add("backend", "file", Sample.FileBackend.class);
        assertThat(built.records("backend")).containsOnlyKeys("s3");
    }
}
