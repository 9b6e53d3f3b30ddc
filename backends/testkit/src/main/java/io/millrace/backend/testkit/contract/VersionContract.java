package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.data.GeneratedBytes;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads by version id: with {@link Capability#VERSIONS} of each version, otherwise only of S3's null version. */
interface VersionContract extends ContractSupport {
    @Test
    default void withoutVersionsOnlyTheNullVersionIsThere() {
        assumeFalse(supports(Capability.VERSIONS), "has versions");
        ObjectKey key = seeded("unversioned", 10);

        assertThat(read(readRequest(key).withVersionId("null")))
                .isEqualTo(GeneratedBytes.of("unversioned").first(10));
        assertFails(readRequest(key).withVersionId("3sL4kqtJlcpXroDTDmJ.rmSpXd3dIbrHY"), FailureKind.UNSUPPORTED);
    }

    @Test
    default void eachVersionIsReadByItsId() {
        assumeTrue(supports(Capability.VERSIONS), "has no versions");
        ObjectKey key = new ObjectKey("versioned");
        seedVersions(key, List.of(new GeneratedBytes("versioned", 1).first(100)));
        ObjectHead first = head(readRequest(key)).head();
        String id = first.version().versionId().orElseThrow();

        seedVersions(
                key,
                List.of(new GeneratedBytes("versioned", 2).first(90), new GeneratedBytes("versioned", 3).first(80)));

        assertThat(first.headers().first("x-amz-version-id")).contains(id);
        assertThat(read(readRequest(key))).isEqualTo(new GeneratedBytes("versioned", 3).first(80));
        assertThat(read(readRequest(key).withVersionId(id))).isEqualTo(new GeneratedBytes("versioned", 1).first(100));
        assertThat(head(readRequest(key).withVersionId(id)).head().version()).isEqualTo(first.version());
    }

    @Test
    default void versionThatNeverWasIsMissing() {
        assumeTrue(supports(Capability.VERSIONS), "has no versions");
        ObjectKey key = new ObjectKey("known");
        seedVersions(key, List.of(new GeneratedBytes("known", 1).first(10)));
        String id = head(readRequest(key)).head().version().versionId().orElseThrow();
        ObjectKey other = new ObjectKey("other");
        seedVersions(other, List.of(new GeneratedBytes("other", 1).first(10)));

        assertFails(readRequest(other).withVersionId(id), FailureKind.NO_SUCH_VERSION);
    }
}
