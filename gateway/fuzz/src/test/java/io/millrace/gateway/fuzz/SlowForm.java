package io.millrace.gateway.fuzz;

import io.millrace.gateway.fuzz.FuzzedGateway.FuzzPrincipal;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A form, read with all of it there. In an input the policy may stand as it is, behind an {@code @}, and {@code @}
 * where its signature belongs.
 *
 * @param fields by name in lower case, as bytes, one char each
 * @param isWhole whether it ends with its closing boundary behind the file
 */
record SlowForm(Map<String, String> fields, String fileName, String file, boolean isWhole) {
    private static final Pattern BOUNDARY = Pattern.compile("(?i)[;\\s]boundary=(?:\"([^\"]+)\"|([^;\\s]+))");
    private static final Pattern NAME = Pattern.compile("(?i)[;\\s]name=(?:\"([^\"]*)\"|([^;\\s]+))");
    private static final Pattern FILE_NAME = Pattern.compile("(?i)[;\\s]filename=(?:\"([^\"]*)\"|([^;\\s]+))");
    private static final Pattern POLICY = Pattern.compile("(?is)(name=\"policy\"\r\n\r\n)@(.*?)(?=\r\n--)");
    private static final Pattern SIGNATURE = Pattern.compile("(?i)(name=\"x-amz-signature\"\r\n\r\n)@");
    private static final Pattern SIGNATURE_OF_VERSION_2 = Pattern.compile("(?i)(name=\"signature\"\r\n\r\n)@");

    /** With the policy in Base64, and signed. */
    static Input signed(Input input) {
        Matcher policy = POLICY.matcher(input.body());
        if (!policy.find()) {
            return input;
        }
        String base64 = Base64.getEncoder().encodeToString(policy.group(2).getBytes(StandardCharsets.ISO_8859_1));
        String body = input.body().substring(0, policy.start())
                + policy.group(1)
                + base64
                + input.body().substring(policy.end());
        String signed =
                SIGNATURE.matcher(body).replaceFirst("$1" + version4(FuzzPrincipal.TRAINER, Version4.DATE, base64));
        return input.withBody(SIGNATURE_OF_VERSION_2
                .matcher(signed)
                .replaceFirst("$1" + Hashes.version2(FuzzPrincipal.TRAINER.secret(), base64)));
    }

    /** Empty if it is none, or has no file. */
    static Optional<SlowForm> of(Input input) {
        Matcher boundary =
                BOUNDARY.matcher(input.all("content-type").stream().findFirst().orElse(""));
        String body = input.body();
        Map<String, String> fields = new LinkedHashMap<>();
        if (!boundary.find() || !body.startsWith("--" + either(boundary))) {
            return Optional.empty();
        }
        String delimiter = "\r\n--" + either(boundary);
        int at = delimiter.length() - 2;
        while (true) {
            int headers = body.indexOf("\r\n\r\n", at);
            if (headers < 0) {
                return Optional.empty();
            }
            String part = body.substring(at, headers);
            String name = Percent.text(parameter(NAME, part)).toLowerCase(Locale.ROOT);
            if (name.equals("file")) {
                String rest = body.substring(headers + 4);
                boolean whole = rest.endsWith(delimiter + "--\r\n");
                int end = whole ? rest.length() - delimiter.length() - 4 : rest.length();
                String file = rest.substring(0, end);
                return Optional.of(
                        new SlowForm(fields, parameter(FILE_NAME, part), file, whole && !file.contains(delimiter)));
            }
            int end = body.indexOf(delimiter, headers + 4);
            if (end < 0) {
                return Optional.empty();
            }
            fields.putIfAbsent(name, body.substring(headers + 4, end));
            at = end + delimiter.length();
        }
    }

    /** The key it asks for, as text. */
    String key() {
        return Percent.text(fields.getOrDefault("key", "")).replace("${filename}", Percent.text(fileName));
    }

    /** Whether the policy is signed by somebody who may write. */
    boolean isProved() {
        String policy = fields.getOrDefault("policy", "");
        String[] scope = fields.getOrDefault("x-amz-credential", "").split("/", -1);
        if (scope.length == 5) {
            return scope[0].equals(FuzzPrincipal.TRAINER.name())
                    && scope[2].equals(Version4.REGION)
                    && fields.getOrDefault("x-amz-signature", "")
                            .equals(version4(FuzzPrincipal.TRAINER, scope[1], policy));
        }
        return fields.getOrDefault("awsaccesskeyid", "").equals(FuzzPrincipal.TRAINER.name())
                && fields.getOrDefault("signature", "").equals(Hashes.version2(FuzzPrincipal.TRAINER.secret(), policy));
    }

    private static String version4(FuzzPrincipal who, String date, String policy) {
        return Hashes.version4(who.secret(), date, Version4.REGION, policy);
    }

    private static String parameter(Pattern pattern, String headers) {
        for (String line : headers.split("\r\n", -1)) {
            Matcher found = pattern.matcher(line);
            if (line.toLowerCase(Locale.ROOT).startsWith("content-disposition:") && found.find()) {
                return either(found);
            }
        }
        return "";
    }

    private static String either(Matcher found) {
        return found.group(1) == null ? found.group(2) : found.group(1);
    }
}
