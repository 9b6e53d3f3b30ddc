package io.millrace.gateway.app.command;

import io.millrace.auth.Credential;
import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.policy.AccessDecision;
import io.millrace.auth.policy.AccessScope;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.PolicyAction;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.RequestParameters;
import io.millrace.auth.policy.RequestSource;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.KeyPathNormalizer;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.app.MachineChecks;
import io.millrace.gateway.app.MillraceSettings;
import io.millrace.gateway.app.SettingsLoader;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.netty.util.NetUtil;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command group for the policies of the settings file. */
@Command(
        name = "policy",
        description = "Explain what the policies of the settings file allow.",
        synopsisSubcommandLabel = "COMMAND")
final class PolicyCommand {
    private static final String ARN = "arn:aws:s3:::";
    private static final String URL = "s3://";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** Explains a decision by the file; no server is needed. */
    @Command(
            name = "explain",
            description =
                    "Say whether an identity may do an action, and which statement decides. Reads the file, and asks no"
                            + " server. The exit code is 0 if it is allowed, 1 if it is denied.")
    int explain(
            @Option(names = "--config", required = true, paramLabel = "FILE", description = "The settings file.")
                    Path file,
            @Option(
                            names = "--source-ip",
                            paramLabel = "ADDRESS",
                            defaultValue = "127.0.0.1",
                            description = "The address that the request comes from; ${DEFAULT-VALUE} without it.")
                    String sourceIp,
            @Option(names = "--tls", description = "The request comes over TLS.") boolean tls,
            @Option(
                            names = "--parameter",
                            paramLabel = "NAME=VALUE",
                            description = "A parameter of the request: prefix, delimiter, max-keys or versionId.")
                    @Nullable Map<String, String> parameters,
            @Parameters(paramLabel = "IDENTITY", description = "Its name in the file; anonymous for unsigned requests.")
                    String identity,
            @Parameters(paramLabel = "ACTION", description = "As s3:GetObject.") String action,
            @Parameters(
                            paramLabel = "RESOURCE",
                            description =
                                    "As arn:aws:s3:::bucket/key, s3://bucket/key or bucket/key; a bucket without the"
                                            + " slash and the key.")
                    String resource)
            throws SettingsException {
        MillraceSettings settings = SettingsLoader.ofFile(file, MachineChecks.beforeLaunch(System.getenv()))
                .settings();
        Principal principal = principal(settings, identity).from(new RequestSource(address(sourceIp), tls));
        PolicyAction wanted = PolicyAction.named(action)
                .orElseThrow(() ->
                        wrong("'%s' is no action that Millrace has: write one as s3:GetObject".formatted(action)));
        String name = name(resource);
        int slash = name.indexOf('/');
        BucketName bucket = bucket(slash < 0 ? name : name.substring(0, slash));
        Optional<ObjectKey> key = slash < 0 ? Optional.empty() : Optional.of(key(name.substring(slash + 1)));
        if (key.isPresent() != wanted.isOnObjects()) {
            throw wrong(
                    wanted.isOnObjects()
                            ? "%s is about objects: write %sBUCKET/KEY".formatted(wanted.wireName(), ARN)
                            : "%s is about buckets: write %sBUCKET".formatted(wanted.wireName(), ARN));
        }
        Map<String, String> given = parameters == null ? Map.of() : new HashMap<>(parameters);
        RequestParameters known = parameter -> Optional.ofNullable(given.get(parameter));
        Authorizer authorizer = new Authorizer(BucketRegistry.policiesOf(settings.buckets()));
        PrintWriter out = spec.commandLine().getOut();
        AccessDecision decision = authorizer.decide(
                principal, wanted, AccessScope.resource(bucket, key).with(known));
        boolean allowed = decision.isAllowed();
        out.printf(
                "%s: %s may%s %s on %s%s%n",
                allowed ? "allowed" : "denied", identity, allowed ? "" : " not", wanted.wireName(), ARN, name);
        if (decision.isOfAlias()) {
            String other =
                    key.flatMap(KeyPathNormalizer::alias).map(ObjectKey::value).orElse("*");
            out.printf("some backends take the key for %s%s/%s, which is not allowed%n", ARN, bucket, other);
        } else {
            out.println(decision.statement()
                    .map(statement -> "by " + statement.name())
                    .orElse("nothing allows it"));
        }
        out.flush();
        return allowed ? 0 : 1;
    }

    private Principal principal(MillraceSettings settings, String name) {
        if (name.equals(Principal.ANONYMOUS.name())) {
            return Principal.ANONYMOUS;
        }
        return IdentityRegistry.of(settings.identities())
                .named(name)
                .map(Credential::principal)
                .orElseThrow(() -> wrong("the file has no identity '%s'".formatted(name)));
    }

    private InetAddress address(String text) {
        byte @Nullable [] bytes = NetUtil.createByteArrayFromIpAddressString(text);
        if (bytes == null) {
            throw wrong("'%s' is no IP address".formatted(text));
        }
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // the length is right
        }
    }

    private static String name(String resource) {
        if (resource.startsWith(ARN)) {
            return resource.substring(ARN.length());
        }
        return resource.startsWith(URL) ? resource.substring(URL.length()) : resource;
    }

    private BucketName bucket(String name) {
        if (!BucketName.isValid(name)) {
            throw wrong("'%s' is no bucket".formatted(name));
        }
        return new BucketName(name);
    }

    private ObjectKey key(String text) {
        try {
            return new ObjectKey(text);
        } catch (IllegalArgumentException e) {
            throw wrong("'%s' is no key".formatted(text));
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
