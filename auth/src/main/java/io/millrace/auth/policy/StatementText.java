package io.millrace.auth.policy;

import java.util.List;

/**
 * A statement of a policy as its file has it, for people who read what it allows or denies.
 *
 * @param principals whom it concerns; empty in the policy of an identity, which concerns everyone who has it
 * @param actions patterns of its actions; empty if it is about all but {@code notActions}
 * @param notActions patterns of the actions that it is not about
 * @param resources patterns of its resources; empty if it is about all but {@code notResources}
 * @param notResources patterns of the resources that it is not about
 */
public record StatementText(
        List<String> principals,
        List<String> actions,
        List<String> notActions,
        List<String> resources,
        List<String> notResources) {
    public StatementText {
        principals = List.copyOf(principals);
        actions = List.copyOf(actions);
        notActions = List.copyOf(notActions);
        resources = List.copyOf(resources);
        notResources = List.copyOf(notResources);
    }
}
