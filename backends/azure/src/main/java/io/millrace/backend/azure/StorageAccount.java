package io.millrace.backend.azure;

import io.millrace.config.Secret;
import java.net.URI;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A storage account: its name, the URL of its Blob service, and the credentials of the settings.
 *
 * @param key of Shared Key, if given
 * @param sas without its question mark, if given
 */
record StorageAccount(String name, URI endpoint, Optional<Secret> key, Optional<Secret> sas) {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]{3,24}");

    StorageAccount {
        sas = sas.map(
                text -> text.reveal().startsWith("?") ? Secret.of(text.reveal().substring(1)) : text);
    }

    /** Returns the account of valid settings. */
    static StorageAccount of(AzureBackendSettings settings) {
        if (settings.connectionString().isPresent()) {
            return ConnectionStringParser.parse(
                    settings.connectionString().get().reveal());
        }
        String name = settings.account().orElseThrow(() -> new IllegalArgumentException("account is required"));
        URI endpoint =
                settings.endpoint().orElseGet(() -> URI.create("https://%s.blob.core.windows.net".formatted(name)));
        return new StorageAccount(name, endpoint, settings.accountKey(), settings.sas());
    }

    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    static boolean isEndpoint(URI endpoint) {
        boolean http = "http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme());
        return http
                && endpoint.getHost() != null
                && endpoint.getRawUserInfo() == null
                && endpoint.getRawQuery() == null
                && endpoint.getRawFragment() == null;
    }

    /** Returns the account in a URL: the first component of the path, as emulators have it, or of the host. */
    static String nameIn(URI endpoint) {
        String path = endpoint.getRawPath() == null ? "" : endpoint.getRawPath().replace("/", "");
        String host = endpoint.getHost();
        return path.isEmpty() ? host.substring(0, (host + ".").indexOf('.')) : path;
    }
}
