package io.millrace.backend.azure;

import io.millrace.config.Secret;
import io.millrace.config.problem.ProblemReporter;
import java.net.URI;
import java.util.Base64;
import java.util.List;

/** Validates the settings of an Azure backend and reports invalid values and combinations. */
final class AzureSettingsValidator {
    private AzureSettingsValidator() {}

    static void validate(AzureBackendSettings settings, ProblemReporter problems) {
        if (settings.connectionString().isPresent()) {
            checkConnectionString(settings, problems);
        } else {
            checkAccount(settings, problems);
        }
        checkCredentials(settings, problems);
    }

    private static void checkConnectionString(AzureBackendSettings settings, ProblemReporter problems) {
        boolean alone = settings.account().isEmpty()
                && settings.accountKey().isEmpty()
                && settings.sas().isEmpty()
                && settings.endpoint().isEmpty();
        if (!alone) {
            problems.add(
                    "connection-string",
                    "",
                    "contradicts account, account-key, sas and endpoint, which it contains",
                    "leave them out, or the connection string");
            return;
        }
        settings.connectionString().ifPresent(text -> {
            try {
                if (ConnectionStringParser.parse(text.reveal())
                        .key()
                        .filter(key -> !isBase64(key))
                        .isPresent()) {
                    throw new IllegalArgumentException("has an AccountKey that is not Base64");
                }
            } catch (IllegalArgumentException invalid) {
                problems.add(
                        "connection-string",
                        "",
                        String.valueOf(invalid.getMessage()),
                        "copy it from Access keys or Shared access signature in the portal");
            }
        });
    }

    private static void checkAccount(AzureBackendSettings settings, ProblemReporter problems) {
        if (settings.account().isEmpty()) {
            problems.add("account", "", "is required", "write the name of the storage account");
            return;
        }
        if (!StorageAccount.isName(settings.account().get())) {
            problems.add(
                    "account",
                    settings.account().get(),
                    "is no storage account",
                    "write its name only: 3 to 24 lower-case letters and digits");
        }
        settings.endpoint().ifPresent(endpoint -> {
            if (!StorageAccount.isEndpoint(endpoint)) {
                problems.add(
                        "endpoint",
                        "",
                        "is not http://host:port/path or https://host:port/path",
                        "take the rest out; a SAS goes into sas");
            } else if (sendsSecrets(settings) && !isSecured(endpoint)) {
                problems.warn(
                        "endpoint",
                        endpoint,
                        "sends tokens or a SAS without TLS",
                        "write https://, or use account-key, which is not sent");
            }
        });
    }

    private static void checkCredentials(AzureBackendSettings settings, ProblemReporter problems) {
        if (settings.accountKey().isPresent() && settings.sas().isPresent()) {
            problems.add("sas", "", "contradicts account-key", "leave one of them out");
        }
        boolean given = settings.accountKey().isPresent()
                || settings.sas().isPresent()
                || settings.connectionString().isPresent();
        if (settings.anonymous() && given) {
            problems.add("anonymous", "true", "contradicts the credentials", "leave one of them out");
        }
        if (settings.accountKey().filter(key -> !isBase64(key)).isPresent()) {
            problems.add("account-key", "", "is not Base64", "copy the key whole, with the = at its end");
        }
        if (settings.sas().filter(sas -> !isSignature(sas)).isPresent()) {
            problems.add("sas", "", "has no sig=", "copy what follows the question mark of the URL, all of it");
        }
    }

    /** Returns whether requests contain the credentials themselves. */
    private static boolean sendsSecrets(AzureBackendSettings settings) {
        return settings.accountKey().isEmpty() && !settings.anonymous();
    }

    private static boolean isSecured(URI endpoint) {
        return endpoint.getScheme().equals("https")
                || List.of("127.0.0.1", "[::1]", "localhost").contains(endpoint.getHost());
    }

    private static boolean isBase64(Secret key) {
        try {
            return Base64.getDecoder().decode(key.reveal()).length > 0;
        } catch (IllegalArgumentException invalid) {
            return false;
        }
    }

    private static boolean isSignature(Secret sas) {
        return ("&" + sas.reveal()).replace('?', '&').contains("&sig=");
    }
}
