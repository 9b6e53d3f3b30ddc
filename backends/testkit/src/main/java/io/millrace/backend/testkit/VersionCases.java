package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectKey;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads by version id: by {@link Capability#VERSIONS} each version, without it only S3's null version. */
interface VersionCases extends ContractCases {
    @Test
    default void withoutVersionsOnlyTheNullVersionIsThere() {
        assumeFalse(can(Capability.VERSIONS), "has versions");
        ObjectKey key = seeded("unversioned", 10);

        assertThat(read(asking(key).ofVersion("null")))
                .isEqualTo(Bytes.of("unversioned").first(10));
        assertFails(asking(key).ofVersion("3sL4kqtJlcpXroDTDmJ.rmSpXd3dIbrHY"), Kind.UNSUPPORTED);
    }

    @Test
    default void eachVersionIsReadByItsId() {
        assumeTrue(can(Capability.VERSIONS), "has no versions");
        ObjectKey key = new ObjectKey("versioned");
        seedVersions(key, List.of(new Bytes("versioned", 1).first(100)));
        ObjectHead first = head(asking(key)).head();
        String id = first.version().versionId().orElseThrow();

        seedVersions(key, List.of(new Bytes("versioned", 2).first(90), new Bytes("versioned", 3).first(80)));

        assertThat(first.headers().first("x-amz-version-id")).contains(id);
        assertThat(read(asking(key))).isEqualTo(new Bytes("versioned", 3).first(80));
        assertThat(read(asking(key).ofVersion(id))).isEqualTo(new Bytes("versioned", 1).first(100));
        assertThat(head(asking(key).ofVersion(id)).head().version()).isEqualTo(first.version());
    }

    @Test
    default void versionThatNeverWasIsMissing() {
        assumeTrue(can(Capability.VERSIONS), "has no versions");
        ObjectKey key = new ObjectKey("known");
        seedVersions(key, List.of(new Bytes("known", 1).first(10)));
        String id = head(asking(key)).head().version().versionId().orElseThrow();
        ObjectKey other = new ObjectKey("other");
        seedVersions(other, List.of(new Bytes("other", 1).first(10)));

        assertFails(asking(other).ofVersion(id), Kind.NO_SUCH_VERSION);
    }
}
