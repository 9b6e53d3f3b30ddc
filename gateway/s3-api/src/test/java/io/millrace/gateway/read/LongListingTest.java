package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Object;

/** A hundred thousand keys under one prefix, as data sets have them, in one folder of plain files. */
@Tag("long")
class LongListingTest {
    private static final int KEYS = 100_000;
    private static final String BUCKET = "long";

    @TempDir
    static Path folder;

    @Test
    void listsHundredThousandKeysInOrder() throws IOException {
        List<String> keys = seed();
        FolderOriginFixture origin = FolderOriginFixture.at(folder);
        try (TestGateway gateway = TestGateway.over(origin.backend());
                S3Client sdk =
                        S3OriginFixture.client(gateway.endpoint(), TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY)) {
            List<String> first = timed("first listing", sdk);
            List<String> second = timed("second listing", sdk);

            assertThat(first.equals(keys)).as("all keys, in order").isTrue();
            assertThat(second.equals(keys)).as("all keys, in order").isTrue();
        } finally {
            origin.close();
        }
    }

    private static List<String> seed() throws IOException {
        Path train = Files.createDirectories(folder.resolve(BUCKET).resolve("train"));
        List<String> keys = new ArrayList<>(KEYS);
        for (int n = 0; n < KEYS; n++) {
            String name = "sample-%06d.jpg".formatted(n * 7919 % KEYS);
            Files.createFile(train.resolve(name));
            keys.add("train/" + name);
        }
        Collections.sort(keys);
        return keys;
    }

    private static List<String> timed(String what, S3Client sdk) {
        long start = System.nanoTime();
        List<String> keys = sdk
                .listObjectsV2Paginator(list -> list.bucket(BUCKET).prefix("train/"))
                .contents()
                .stream()
                .map(S3Object::key)
                .toList();
        System.out.printf(
                "%s of %d keys, 1,000 a page: %.2f s%n", what, keys.size(), (System.nanoTime() - start) / 1e9);
        return keys;
    }
}
