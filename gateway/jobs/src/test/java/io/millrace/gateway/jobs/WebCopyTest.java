package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.data.ListedPages;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.backend.testkit.server.ScriptedServer;
import io.millrace.backend.testkit.server.ScriptedServer.ReceivedRequest;
import io.millrace.backend.testkit.server.ScriptedServer.ServerConnection;
import io.millrace.backend.web.ListingSource;
import io.millrace.backend.web.WebBackendProvider;
import io.millrace.backend.web.WebBackendSettings;
import io.millrace.gateway.jobs.store.JobState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A copy of a web server follows what its indexes say, and not what stands in their place. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class WebCopyTest {
    private static final BucketName WEB = new BucketName("web");
    private static final BucketName FAR = new BucketName("far");
    private static final String MIRROR =
            "{'kind': 'copy', 'from': {'bucket': 'web'}, 'to': {'bucket': 'far'}, 'deleteExtra': true}";

    @TempDir
    Path folder;

    private final InMemoryBackend far =
            new InMemoryBackend(EnumSet.of(Capability.WRITE, Capability.LIST, Capability.MULTIPART)).createBucket(FAR);
    private volatile String indexOfB = index("2", "3");
    private ScriptedServer server;
    private Backend web;
    private JobsFixture jobs;

    @BeforeEach
    void start() throws IOException {
        server = ScriptedServer.start(this::respond);
        web = new WebBackendProvider()
                .create(
                        "web",
                        new WebBackendSettings(
                                WebUrl.parse(server.uri() + "/"),
                                true,
                                ListingSource.INDEX,
                                "manifest.txt",
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                List.of(),
                                List.of(),
                                new ConnectionSettings(
                                        16,
                                        BackendTlsSettings.DEFAULTS,
                                        Optional.empty(),
                                        JobsFixture.SOON,
                                        JobsFixture.SOON,
                                        JobsFixture.SOON)));
        jobs = new JobsFixture(folder, Map.of(WEB, web, FAR, far));
    }

    @AfterEach
    void stop() throws IOException {
        jobs.close();
        web.close().block();
        server.close();
    }

    @Test
    void errorPageInPlaceOfAnIndexDeletesNothing() {
        assertThat(jobs.end(jobs.admin(MIRROR)).state()).isEqualTo(JobState.DONE);
        assertThat(copied()).containsExactly("a/1", "b/2", "b/3");

        indexOfB = "<html><head><title>502 Bad Gateway</title></head><body><h1>Back soon</h1></body></html>";
        JobStatus job = jobs.end(jobs.admin(MIRROR.replace("'deleteExtra'", "'attempts': 1, 'deleteExtra'")));

        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(job.message()).contains("invalid response");
        assertThat(copied()).containsExactly("a/1", "b/2", "b/3");
    }

    @Test
    void fileMissingFromTheIndexIsDeleted() {
        jobs.end(jobs.admin(MIRROR));

        indexOfB = index("3");

        assertThat(jobs.end(jobs.admin(MIRROR)).state()).isEqualTo(JobState.DONE);
        assertThat(copied()).containsExactly("a/1", "b/3");
    }

    private List<String> copied() {
        return ListedPages.page(far, ListedPages.request(FAR, "", "", 1000)).objects().stream()
                .map(object -> object.key().value())
                .toList();
    }

    private void respond(ReceivedRequest request, ServerConnection wire) throws IOException {
        String text = switch (request.target()) {
            case "/web/" -> index("a/", "b/");
            case "/web/a/" -> index("1");
            case "/web/b/" -> indexOfB;
            default -> "0123456789";
        };
        wire.head(
                "200 OK",
                "Content-Type: text/html",
                "ETag: \"v1\"",
                "Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT",
                "Accept-Ranges: bytes",
                "Content-Length: " + text.length());
        wire.text(request.method().equals("HEAD") ? "" : text);
    }

    private static String index(String... names) {
        StringBuilder page =
                new StringBuilder("<html><head><title>Index of</title></head><pre><a href=\"../\">../</a>\n");
        for (String name : names) {
            page.append("<a href=\"").append(name).append("\">").append(name).append("</a>\n");
        }
        return page.append("</pre></html>").toString();
    }
}
