package io.millrace.backend.azure;

import io.millrace.config.Secret;
import java.net.URI;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Parses Azure Storage connection strings, {@code Name=value} pairs joined by semicolons.
 *
 * @see <a href="https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string">Configure
 * connection strings</a>
 */
final class ConnectionStringParser {
    private static final String DEVELOPMENT_ACCOUNT = "devstoreaccount1";

    /** The emulator's well-known key. */
    private static final String DEVELOPMENT_KEY =
            "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    private ConnectionStringParser() {}

    /**
     * @throws IllegalArgumentException if it names no account or endpoint; the message contains nothing of the text
     */
    static StorageAccount parse(String text) {
        Map<String, String> pairs = pairs(text);
        if (pairs.getOrDefault("usedevelopmentstorage", "").equalsIgnoreCase("true")) {
            return new StorageAccount(
                    DEVELOPMENT_ACCOUNT,
                    URI.create("http://127.0.0.1:10000/" + DEVELOPMENT_ACCOUNT),
                    Optional.of(Secret.of(DEVELOPMENT_KEY)),
                    Optional.empty());
        }
        URI endpoint = endpoint(pairs);
        return new StorageAccount(
                Optional.ofNullable(pairs.get("accountname")).orElseGet(() -> StorageAccount.nameIn(endpoint)),
                endpoint,
                Optional.ofNullable(pairs.get("accountkey")).map(Secret::of),
                Optional.ofNullable(pairs.get("sharedaccesssignature")).map(Secret::of));
    }

    private static Map<String, String> pairs(String text) {
        Map<String, String> pairs = new HashMap<>();
        for (String pair : text.split(";", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                pairs.put(
                        pair.substring(0, equals).strip().toLowerCase(Locale.ROOT),
                        pair.substring(equals + 1).strip());
            }
        }
        return pairs;
    }

    private static URI endpoint(Map<String, String> pairs) {
        String name = pairs.get("accountname");
        String blobEndpoint = pairs.get("blobendpoint");
        if (blobEndpoint == null && (name == null || !StorageAccount.isName(name))) {
            throw new IllegalArgumentException("has no AccountName and no BlobEndpoint");
        }
        String text = blobEndpoint != null
                ? blobEndpoint
                : "%s://%s.blob.%s"
                        .formatted(
                                pairs.getOrDefault("defaultendpointsprotocol", "https"),
                                name,
                                pairs.getOrDefault("endpointsuffix", "core.windows.net"));
        try {
            URI endpoint = URI.create(text);
            if (StorageAccount.isEndpoint(endpoint)) {
                return endpoint;
            }
        } catch (IllegalArgumentException malformed) {
            // Reported below, without the text: it may contain a signature.
        }
        throw new IllegalArgumentException("has a BlobEndpoint that is no http or https URL");
    }
}
