package io.millrace.backend.web;

import io.millrace.backend.http.WebRequestExceptionMapper;
import io.millrace.backend.spi.BackendRemedies;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.JoinedBackend;
import java.util.Set;
import reactor.core.publisher.Mono;

/** A read-only backend over a plain web server. */
final class WebBackend extends JoinedBackend {
    private final Set<Capability> capabilities;
    private final WebClient client;

    private WebBackend(Set<Capability> capabilities, WebClient client, WebObjectReader reader, WebObjectLister lister) {
        super(Roles.of(reader, lister, lister, lister, lister));
        this.capabilities = capabilities;
        this.client = client;
    }

    static WebBackend create(String name, WebBackendSettings settings) {
        // Without a listing nothing tells a missing bucket from a missing key.
        Set<Capability> capabilities = settings.listing() == ListingSource.NONE
                ? Set.of()
                : Set.of(Capability.LIST, Capability.AMBIGUOUS_NOT_FOUND);
        WebClient client = new WebClient(name, settings);
        UrlLayout layout = UrlLayout.of(settings.url(), settings.bucketInPath());
        WebRequestExceptionMapper failures = new WebRequestExceptionMapper(name, layout.root());
        WebObjectReader reader = new WebObjectReader(client, layout, failures);
        return new WebBackend(
                capabilities, client, reader, new WebObjectLister(settings, client, layout, reader, failures));
    }

    @Override
    public Set<Capability> capabilities() {
        return capabilities;
    }

    @Override
    public BackendRemedies remedies() {
        return BackendRemedies.ofReadOnlyServer("url");
    }

    @Override
    public Mono<Void> close() {
        return client.close();
    }
}
