package io.millrace.backend.http;

import java.util.List;

/**
 * The settings of a {@link RedirectingClient}: its own server, where that may redirect to, connections and timeouts.
 *
 * @param pool names the meters and threads of its connections
 * @param server its path means nothing
 * @param allowedRedirects the URLs of other servers that may be redirected to
 * @param allowedPrivateAddresses the addresses of other servers that may be connected to although they are not public
 * @param addressesKey the settings key of {@code allowedPrivateAddresses}, for messages
 */
public record RedirectSettings(
        String pool,
        WebUrl server,
        List<AllowedUrlPattern> allowedRedirects,
        List<AddressRange> allowedPrivateAddresses,
        String addressesKey,
        ConnectionSettings connections) {}
