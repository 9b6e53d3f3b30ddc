package io.millrace.gateway.jobs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.data.ListedPages;
import io.millrace.gateway.read.EnvironmentOrigin;
import io.millrace.gateway.read.OriginFixture;
import io.millrace.gateway.write.OptionalFeature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;

/**
 * Downloads into the server of this machine that the environment names, see {@link EnvironmentOrigin}. Skipped without
 * one.
 */
class EndpointDownloadTest extends DownloadSuite {
    private @Nullable OriginFixture origin;
    private @Nullable BucketName bucket;

    // Not first before each test, after which what was never started would be stopped.
    @BeforeAll
    static void skipWithoutServer() {
        EnvironmentOrigin.assumeNamed();
    }

    @Override
    Backend open(Path folder, BucketName bucket) throws IOException {
        origin = EnvironmentOrigin.connect();
        this.bucket = bucket;
        origin.createBucket(bucket.value());
        return origin.backend();
    }

    @Override
    void assumeDiscardsCutBodies() {
        assumeTrue(
                OptionalFeature.of(EnvironmentOrigin.server()).contains(OptionalFeature.DISCARDS_CUT_BODIES),
                "stores bodies that are cut");
    }

    @Override
    void shut() throws IOException {
        OriginFixture opened = Objects.requireNonNull(origin);
        BucketName target = Objects.requireNonNull(bucket);
        for (String key : ListedPages.readAll(opened.backend(), ListedPages.request(target, "", "", 1000))
                .keys()) {
            opened.backend()
                    .delete(Deletion.of(new ObjectRef(target, new ObjectKey(key))), HeaderList.EMPTY)
                    .block(JobsFixture.SOON);
        }
        opened.close();
    }
}
