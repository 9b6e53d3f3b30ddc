package io.millrace.gateway.read;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.web.ListingSource;
import io.millrace.backend.web.WebBackendProvider;
import io.millrace.backend.web.WebBackendSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A web server that serves a folder, into which files are put by hand, and the index of each folder. */
record WebOriginFixture(Path folder, Backend backend) implements OriginFixture {
    private static final Duration SOON = Duration.ofSeconds(20);

    /** Empty names, those that an index hides, and what no file has or no client may ask a web server for. */
    private static final Pattern UNUSABLE = Pattern.compile("(^|/)(\\.|/|$)|[\\x00\\\\]");

    private static final int LONGEST_NAME = 255;

    static WebOriginFixture at(String url, Path folder) {
        return new WebOriginFixture(
                folder,
                new WebBackendProvider()
                        .create(
                                "test",
                                new WebBackendSettings(
                                        WebUrl.parse(url),
                                        true,
                                        ListingSource.INDEX,
                                        "manifest.txt",
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        List.of(),
                                        List.of(),
                                        new ConnectionSettings(
                                                64, BackendTlsSettings.DEFAULTS, Optional.empty(), SOON, SOON, SOON))));
    }

    @Override
    public Set<Trait> traits() {
        return EnumSet.noneOf(Trait.class);
    }

    @Override
    public boolean canHold(String key) {
        return !UNUSABLE.matcher(key).find()
                && Stream.of(key.split("/"))
                        .allMatch(name -> name.getBytes(StandardCharsets.UTF_8).length <= LONGEST_NAME);
    }

    @Override
    public void createBucket(String bucket) throws IOException {
        Files.createDirectories(folder.resolve(bucket));
    }

    @Override
    public void put(String bucket, String key, byte[] bytes, HeaderList headers) throws IOException {
        Path file = folder.resolve(bucket).resolve(key);
        Files.createDirectories(file.getParent());
        Files.write(file, bytes);
    }

    @Override
    public void close() {
        backend.close().block(SOON);
    }
}
