package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.testkit.TestCertificate;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which context a port has while its files change. */
class ReloadingTlsContextTest {
    @TempDir
    private Path folder;

    private ReloadingTlsContext context;

    @BeforeEach
    void load() throws IOException {
        TestCertificate.create("first").write(folder);
        context = ReloadingTlsContext.load("s3", TestCertificate.settings(folder));
    }

    @Test
    void unchangedFilesKeepTheContext() {
        SslContext before = context.get();

        context.reloadIfChanged();

        assertThat(context.get()).isSameAs(before);
    }

    @Test
    void unusableFilesKeepTheContextUntilTheyAreMended() throws IOException {
        SslContext before = context.get();
        // With a longer name: a change within a tick of file times shows by the size only.
        TestCertificate second = TestCertificate.create("second-certificate");

        Files.writeString(folder.resolve("certificate.pem"), second.bundle().getCertificatePathPEM());
        context.reloadIfChanged(); // the key is still the first one's
        assertThat(context.get()).isSameAs(before);
        assertThat(context.isFailing()).isTrue();
        Files.delete(folder.resolve("key.pem"));
        context.reloadIfChanged();
        assertThat(context.get()).isSameAs(before);
        Files.writeString(folder.resolve("key.pem"), "-----BEGIN PRIVATE KEY-----\nbroken");
        context.reloadIfChanged();
        assertThat(context.get()).isSameAs(before);

        second.write(folder);
        context.reloadIfChanged();

        assertThat(context.get()).isNotSameAs(before);
        assertThat(context.isFailing()).isFalse();
    }
}
