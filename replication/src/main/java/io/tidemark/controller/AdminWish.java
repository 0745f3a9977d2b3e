package io.tidemark.controller;

/** A change of the cluster that somebody asks the controller for. */
public sealed interface AdminWish permits CreateTopic, AddPartitions, DeleteTopic, AlterTopic, PartitionChanges {}
