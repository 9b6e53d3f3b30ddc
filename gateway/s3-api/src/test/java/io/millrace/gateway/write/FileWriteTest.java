package io.millrace.gateway.write;

import io.millrace.gateway.read.FolderOriginFixture;
import io.millrace.gateway.read.OriginFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The suite over a folder of plain files. */
@Tag("matrix")
class FileWriteTest extends S3WriteSuite implements PayloadCases, WriteKeyCases, BucketWriteCases {
    @TempDir
    static Path folder;

    @Override
    protected OriginFixture connect() {
        return FolderOriginFixture.at(folder);
    }

    @Test
    void ifNoneMatchWithTheCurrentETagFails() throws IOException {
        byte[] before = stored("own-tag", "before", 100);
        String tag = String.valueOf(head("own-tag").headers().get("etag"));

        for (String same : List.of(tag, tag.replace("\"", ""), "W/" + tag)) {
            EndpointWriteCases.assertError(
                    send(SignedWriteRequest.put(target("own-tag"), new byte[5]).with("If-None-Match: " + same)),
                    412,
                    "PreconditionFailed");
        }
        assertHolds("own-tag", before);
        assertHolds("own-tag", stored("own-tag", "after", 100, "If-None-Match: \"a,b\""));
    }
}
