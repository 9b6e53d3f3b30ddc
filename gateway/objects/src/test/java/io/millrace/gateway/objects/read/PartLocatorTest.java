package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.metadata.ObjectId;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The memory of parts is bounded in bytes, including everything that a backend or a client can make long. */
class PartLocatorTest {
    @Test
    void everyTextThatIsRememberedCounts() {
        int least = weight("k", "v", "i", "s");

        assertThat(weight("k".repeat(1001), "v", "i", "s")).isEqualTo(least + 2000);
        assertThat(weight("k", "v".repeat(1001), "i", "s")).isEqualTo(least + 2000);
        assertThat(weight("k", "v", "i".repeat(1001), "s")).isEqualTo(least + 4000);
        assertThat(weight("k", "v", "i", "s".repeat(1001))).isEqualTo(least + 4000);
    }

    private static int weight(String key, String tag, String versionId, String sum) {
        Optional<ETag> eTag = Optional.of(ETag.strong(tag));
        Optional<String> named = Optional.of(versionId);
        HeaderList fields = HeaderList.EMPTY.with("x-amz-checksum-crc32", sum);
        ObjectHead whole = new ObjectHead(ObjectVersion.ofETag(eTag, 10, named), eTag, Optional.empty(), fields);
        ObjectId object = new ObjectId("b", new ObjectRef(new BucketName("bucket"), new ObjectKey(key)), named);
        PartLocator.PartId id = new PartLocator.PartId(object, whole.version(), 1, true);
        return PartLocator.weight(id, PartLocator.LocatedPart.of(id, new ObjectPart(Optional.empty(), fields), whole));
    }
}
