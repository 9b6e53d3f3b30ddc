package io.millrace.backend.azure;

import io.millrace.backend.http.ConnectionSettings;
import io.millrace.config.FlatSettings;
import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.net.URI;
import java.util.Optional;

/** The settings of an Azure backend: storage account, credentials, connections and timeouts. */
public record AzureBackendSettings(
        @SettingDescription(
                value = "The storage account. Required unless connection-string names one.",
                example = "mystorageaccount")
        Optional<String> account,

        @SettingDescription("A key of the account; requests are signed with it (Shared Key).")
        Optional<Secret> accountKey,

        @SettingDescription(
                "A shared access signature: the part of its URL after the question mark. Without list permission on"
                        + " the account, write its container as `bucket` of each entry.")
        Optional<Secret> sas,

        @SettingDescription(
                "The connection string that the portal shows, instead of account, account-key, sas and endpoint.")
        Optional<Secret> connectionString,

        @SettingDescription(
                value = "URL of the Blob service, for an emulator, another cloud or a private endpoint. An emulator's"
                        + " has the account as its path. By default https://ACCOUNT.blob.core.windows.net.",
                example = "http://127.0.0.1:10000/devstoreaccount1")
        Optional<URI> endpoint,

        @SettingDescription(
                value = "Send requests without credentials, for public containers. Without it and without account-key,"
                        + " sas and connection-string, the environment's identity: workload identity"
                        + " (AZURE_FEDERATED_TOKEN_FILE, AZURE_CLIENT_ID, AZURE_TENANT_ID), a client secret"
                        + " (AZURE_CLIENT_SECRET instead of the file), else the managed identity of the machine"
                        + " (AZURE_CLIENT_ID if it has several).",
                defaultValue = "false")
        boolean anonymous,

        @FlatSettings ConnectionSettings connections)
        implements SelfValidatingSettings {
    @Override
    public void check(ProblemReporter problems) {
        AzureSettingsValidator.validate(this, problems);
    }
}
