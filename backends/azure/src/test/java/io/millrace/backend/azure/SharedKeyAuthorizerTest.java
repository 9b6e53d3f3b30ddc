package io.millrace.backend.azure;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.config.Secret;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The strings to sign are Microsoft's, from "Authorize with Shared Key"; the signatures were computed by openssl. */
class SharedKeyAuthorizerTest {
    private static final Secret KEY =
            Secret.of("Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==");

    private final SharedKeyAuthorizer authorizer =
            new SharedKeyAuthorizer("myaccount", KEY, InstantSource.fixed(Instant.parse("2026-01-02T03:04:05.678Z")));

    @Test
    void signsGetOfContainerMetadataAsDocumented() {
        SignableRequest request = new SignableRequest(
                "GET",
                "/mycontainer",
                List.of(
                        new QueryParameter("restype", "container"),
                        new QueryParameter("comp", "metadata"),
                        new QueryParameter("timeout", "20")),
                HeaderList.EMPTY.with("x-ms-version", "2015-02-21").with("x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT"));

        assertThat(authorizer.stringToSign(request))
                .isEqualTo("GET\n\n\n\n\n\n\n\n\n\n\n\n"
                        + "x-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n"
                        + "/myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20");
        assertThat(authorizer.authorization(request))
                .isEqualTo("SharedKey myaccount:1u9lui2jDxj0+fpbHjQ5m5NnastJRSYM+PSmfi8TXx4=");
    }

    @Test
    void signsRepeatedParametersSortedAndJoined() {
        SignableRequest request = new SignableRequest(
                "GET",
                "/mycontainer",
                List.of(
                        new QueryParameter("restype", "container"),
                        new QueryParameter("comp", "list"),
                        new QueryParameter("include", "snapshots"),
                        new QueryParameter("include", "metadata"),
                        new QueryParameter("include", "uncommittedblobs")),
                HeaderList.EMPTY);

        assertThat(authorizer.stringToSign(request))
                .endsWith("\n/myaccount/mycontainer\ncomp:list\ninclude:metadata,snapshots,uncommittedblobs"
                        + "\nrestype:container");
    }

    @Test
    void signsLengthAndStandardHeadersOfAPut() {
        SignableRequest request = new SignableRequest(
                "PUT",
                "/mycontainer/my%20blob",
                List.of(),
                HeaderList.EMPTY
                        .with("content-length", "11")
                        .with("content-md5", "XrY7u+Ae7tCTyyK7j1rNww==")
                        .with("if-none-match", "*")
                        .with("x-ms-date", "Sun, 11 Oct 2009 21:49:13 GMT")
                        .with("x-ms-blob-type", "BlockBlob"));

        assertThat(authorizer.stringToSign(request))
                .isEqualTo("PUT\n\n\n11\nXrY7u+Ae7tCTyyK7j1rNww==\n\n\n\n\n*\n\n\n"
                        + "x-ms-blob-type:BlockBlob\nx-ms-date:Sun, 11 Oct 2009 21:49:13 GMT\n"
                        + "/myaccount/mycontainer/my%20blob");
    }

    @Test
    void signsNoLengthOfAnEmptyBody() {
        SignableRequest request =
                new SignableRequest("PUT", "/mycontainer", List.of(), HeaderList.EMPTY.with("content-length", "0"));

        assertThat(authorizer.stringToSign(request)).startsWith("PUT\n\n\n\n\n");
    }

    @Test
    void grantsReadOfOneBlobForAnHour() {
        ObjectRef source = new ObjectRef(new BucketName("mycontainer"), new ObjectKey("a/my blob"));

        CopySourceAccess access = Objects.requireNonNull(authorizer
                .grantRead(source, "https://myaccount.blob.core.windows.net/mycontainer/a/my%20blob")
                .block());

        assertThat(access.url())
                .isEqualTo("https://myaccount.blob.core.windows.net/mycontainer/a/my%20blob"
                        + "?sv=2020-12-06&sr=b&sp=r&se=2026-01-02T04%3A04%3A05Z"
                        + "&sig=umwpFO6euo9X1oEJa5THFLY8JmJwC7j5nWnOzi8Dk34%3D");
        assertThat(access.headers()).isEqualTo(HeaderList.EMPTY);
        assertThat(access.toString()).doesNotContain("sig");
    }
}
